// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// A network with one hidden layer, trained with gradients from dyad: MNIST's images, other arrays
// or made points come in, a line for each epoch comes out. Exit status 0: enough of the test
// examples are recognised; 1: they are not, or a file is unfit; 2: the command line is wrong.
#include <cstdio>
#include <filesystem>

#include <command_line.hpp>
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

struct sources {
    std::filesystem::path data, images, labels; // all empty: made points
    bool made() const { return data.empty() && images.empty(); }
};

sources chosen_sources(const command_line::options& chosen) {
    const sources result{chosen.text("--data"), chosen.text("--images"), chosen.text("--labels")};
    if (result.images.empty() != result.labels.empty())
        throw command_line::usage_error("--images and --labels belong together");
    if (!result.data.empty() && !result.images.empty())
        throw command_line::usage_error("either --data or --images and --labels");
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

network::split_examples load(const sources& chosen) {
    if (!chosen.images.empty()) return network::read_examples(chosen.images, chosen.labels);
    if (chosen.made()) return network::made_blobs(1);
    const auto images = mnist_file(chosen.data, "t10k-images-idx3-ubyte");
    return network::read_examples(images, mnist_file(chosen.data, "t10k-labels-idx1-ubyte"));
}

void print(const network::epoch& now) {
    if (now.number == 1)
        std::printf("%5s%14s%15s%10s\n", "epoch", "loss", "test accuracy", "seconds");
    std::printf("%5d%14.6f%14.2f%%%10.2f\n", now.number, now.loss, 100 * now.accuracy, now.seconds);
    std::fflush(stdout);
}

double final_accuracy(const sources& chosen) {
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

bool run(const command_line::options& options) {
    const sources chosen = chosen_sources(options);
    const double required = chosen.made() ? 0.95 : 0.9;
    const bool good = final_accuracy(chosen) >= required;
    std::printf(good ? "\nAt least %g %% of the test examples are recognised.\n"
                     : "\nLess than %g %% of the test examples are recognised.\n",
                100 * required);
    return good;
}

} // namespace

int main(int argc, char** argv) {
    return command_line::run("two_layer_network", usage, argc, argv,
                             {{"--data", "a directory"}, {"--images", "a file"}, {"--labels", "a file"}}, run);
}
