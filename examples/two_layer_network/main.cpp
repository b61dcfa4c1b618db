// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// A network with one hidden layer, trained with gradients from dyad: MNIST's images, other arrays
// or made points come in, a line for each epoch comes out. Exit status 0: enough of the test
// examples are recognised; 1: they are not, or a file is unfit; 2: the command line is wrong.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <data_files/input_error.hpp>

#include "examples.hpp"
#include "model.hpp"
#include "training.hpp"

namespace {

constexpr const char* usage =
    "usage: two_layer_network [--data DIR | --images FILE --labels FILE]\n"
    "\n"
    "Trains a network with one hidden layer for 5 epochs with gradients from dyad, on the first "
    "four\n"
    "fifths of the examples, and tests it on the others.\n"
    "\n"
    "  (nothing)      5000 points around ten centres, made from a fixed seed; 95 % of the test\n"
    "                 examples must be recognised\n"
    "  --data DIR     DIR/t10k-images-idx3-ubyte and DIR/t10k-labels-idx1-ubyte from MNIST, as "
    "they\n"
    "                 are or ending in .gz; 90 % must be recognised\n"
    "  --images FILE  other images, in IDX or NPY format, of numbers from 0 to 255 ...\n"
    "  --labels FILE  ... and their classes, counted from 0; 90 % must be recognised\n"
    "  --help         this text\n";

struct usage_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct options {
    bool help = false;
    std::filesystem::path data, images, labels; // all empty: made points
};

options parse(const std::vector<std::string_view>& arguments) {
    options result;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string name(arguments[i]);
        if (name == "--help") {
            result.help = true;
            continue;
        }
        if (name != "--data" && name != "--images" && name != "--labels")
            throw usage_error("unknown argument \"" + name + "\"");
        if (++i == arguments.size() || arguments[i].empty())
            throw usage_error(name + (name == "--data" ? " needs a directory" : " needs a file"));
        (name == "--data"     ? result.data
         : name == "--images" ? result.images
                              : result.labels) = arguments[i];
    }
    if (result.images.empty() != result.labels.empty())
        throw usage_error("--images and --labels belong together");
    if (!result.data.empty() && !result.images.empty())
        throw usage_error("either --data or --images and --labels");
    return result;
}

// A file of MNIST, compressed or not.
std::filesystem::path mnist_file(const std::filesystem::path& directory, const char* name) {
    const std::filesystem::path plain = directory / name;
    if (std::filesystem::exists(plain)) return plain;
    std::filesystem::path compressed = plain;
    compressed += ".gz";
    if (std::filesystem::exists(compressed)) return compressed;
    data_files::reject(directory.string(), "neither ", name, " nor ", name, ".gz in it");
}

network::split_examples load(const options& chosen) {
    if (!chosen.images.empty()) return network::read_examples(chosen.images, chosen.labels);
    if (chosen.data.empty()) return network::made_blobs(1);
    const auto images = mnist_file(chosen.data, "t10k-images-idx3-ubyte");
    return network::read_examples(images, mnist_file(chosen.data, "t10k-labels-idx1-ubyte"));
}

void print(const network::epoch& now) {
    if (now.number == 1)
        std::printf("%5s%14s%15s%10s\n", "epoch", "loss", "test accuracy", "seconds");
    std::printf("%5d%14.6f%14.2f%%%10.2f\n", now.number, now.loss, 100 * now.accuracy, now.seconds);
    std::fflush(stdout);
}

double final_accuracy(const options& chosen) {
    const network::split_examples data = load(chosen);
    const std::size_t inputs = data.training.inputs.shape(1);
    const std::size_t classes = data.training.targets.shape(1);
    const std::size_t hidden = 64;
    std::printf("%zu examples for training, %zu for testing; %zu inputs, %zu hidden units, %zu "
                "classes\n\n",
                data.training.rows(), data.test.rows(), inputs, hidden, classes);
    data_files::generator random(2);
    network::weights w = network::first_weights(inputs, hidden, classes, random);
    return network::train(w, data, {}, random, print).accuracy;
}

} // namespace

int main(int argc, char** argv) try {
    const options chosen = parse({argv + 1, argv + argc});
    if (chosen.help) {
        std::fputs(usage, stdout);
        return 0;
    }
    const bool made = chosen.data.empty() && chosen.images.empty();
    const double required = made ? 0.95 : 0.9;
    const bool good = final_accuracy(chosen) >= required;
    std::printf(good ? "\nAt least %g %% of the test examples are recognised.\n"
                     : "\nLess than %g %% of the test examples are recognised.\n",
                100 * required);
    return good ? 0 : 1;
} catch (const usage_error& error) {
    std::fprintf(stderr, "two_layer_network: %s\n\n%s", error.what(), usage);
    return 2;
} catch (const std::exception& error) {
    std::fprintf(stderr, "two_layer_network: %s\n", error.what());
    return 1;
}
