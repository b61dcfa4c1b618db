// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Half of the rectified units are 0, hence the 2 in the variance.
#include "model.hpp"

#include <cmath>

namespace network {
namespace {

xt::xtensor<float, 2> random_matrix(std::size_t rows, std::size_t columns,
                                    data_files::generator& random) {
    xt::xtensor<float, 2> matrix = xt::zeros<float>({rows, columns});
    const double deviation = std::sqrt(2 / static_cast<double>(rows));
    for (float& x : matrix) x = static_cast<float>(deviation * random.normal());
    return matrix;
}

} // namespace

weights first_weights(std::size_t inputs, std::size_t hidden, std::size_t classes,
                      data_files::generator& random) {
    auto first = random_matrix(inputs, hidden, random);
    auto second = random_matrix(hidden, classes, random);
    return {std::move(first), xt::zeros<float>({hidden}), std::move(second),
            xt::zeros<float>({classes})};
}

} // namespace network
