// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Checks what the files say against each other before any array is made.
#include "examples.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <data_files/array_file.hpp>
#include <data_files/generator.hpp>
#include <data_files/input_error.hpp>

namespace network {
namespace {

using data_files::reject;

constexpr std::size_t most_classes = 1000;

std::vector<std::size_t> classes_in(const data_files::number_array& array,
                                    const std::string& file) {
    if (array.shape.size() != 1) reject(file, "labels have one axis, not ", array.shape.size());
    std::vector<std::size_t> classes;
    for (const double label : array.values) {
        if (!(label >= 0 && label < most_classes && label == std::floor(label)))
            reject(file, "label ", classes.size(), " is ", label, ", not a class from 0 to ",
                   most_classes - 1);
        classes.push_back(static_cast<std::size_t>(label));
    }
    return classes;
}

// Rows `from` to `to` of inputs that lie one after the other.
template <class Number>
examples part(const std::vector<Number>& inputs, const std::vector<std::size_t>& classes,
              std::size_t from, std::size_t to, double scale) {
    const std::size_t width = inputs.size() / classes.size();
    const std::size_t count = *std::max_element(classes.begin(), classes.end()) + 1;
    examples result{xt::zeros<float>({to - from, width}), xt::zeros<float>({to - from, count})};
    for (std::size_t i = from; i < to; ++i) {
        for (std::size_t j = 0; j < width; ++j)
            result.inputs(i - from, j) = static_cast<float>(scale * inputs[i * width + j]);
        result.targets(i - from, classes[i]) = 1;
    }
    return result;
}

split_examples split(const std::vector<double>& inputs, const std::vector<std::size_t>& classes,
                     double scale) {
    const std::size_t cut = classes.size() / 5 * 4;
    return {part(inputs, classes, 0, cut, scale),
            part(inputs, classes, cut, classes.size(), scale)};
}

} // namespace

split_examples read_examples(const std::filesystem::path& images,
                             const std::filesystem::path& labels) {
    const data_files::number_array pixels = data_files::read_array_file(images);
    const std::string file = images.string();
    const auto classes = classes_in(data_files::read_array_file(labels), labels.string());
    if (pixels.shape.size() < 2) reject(file, "images have at least two axes");
    if (pixels.shape[0] != classes.size())
        reject(file, pixels.shape[0], " images, but ", labels.string(), " has ", classes.size(),
               " labels");
    if (classes.size() < 10) reject(file, "fewer than 10 images");
    if (pixels.values.empty()) reject(file, "images without pixels");
    const auto [least, greatest] = std::minmax_element(pixels.values.begin(), pixels.values.end());
    if (*least < 0 || *greatest > 255)
        reject(file, "a pixel of ", *least < 0 ? *least : *greatest, " is not from 0 to 255");
    return split(pixels.values, classes, 1.0 / 255);
}

split_examples made_blobs(std::uint64_t seed) {
    constexpr std::size_t rows = 5000, width = 8, count = 5;
    data_files::generator random(seed);
    std::vector<double> centres, inputs;
    for (std::size_t i = 0; i < 2 * count * width; ++i) centres.push_back(2 * random.normal());
    std::vector<std::size_t> classes;
    for (std::size_t i = 0; i < rows; ++i) {
        // Two blobs for each class: no plane lies between the classes.
        const std::size_t blob = random.below(2 * count);
        for (std::size_t j = 0; j < width; ++j)
            inputs.push_back(centres[blob * width + j] + random.normal());
        classes.push_back(blob % count);
    }
    return split(inputs, classes, 0.5);
}

} // namespace network
