// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Copied from NIST's .dat files (public domain); a row of observations reads y, x.
#include "built_in_problems.hpp"

namespace nist {
namespace {

// Four problems fit different models to this one experiment.
const std::vector<double> misra_observations{10.07, 77.6,  14.73, 114.9, 17.94, 141.1, 23.93,
                                             190.8, 29.61, 239.9, 35.18, 289,   40.02, 332.8,
                                             44.82, 378.4, 50.76, 434.8, 55.05, 477.3, 61.01,
                                             536.8, 66.4,  593.1, 75.47, 689.1, 81.78, 760};

} // namespace

const std::vector<problem>& built_in_problems() {
    static const std::vector<problem> problems{
        {.name = "DanWood",
         .level = "Lower",
         .starts = {{{1, 5}, {0.7, 4}}},
         .certified = {7.6886226176E-01, 3.8604055871E+00},
         .certified_residual_sum = 4.3173084083E-03,
         .observations = {2.138, 1.309, 3.421, 1.471, 3.597, 1.49, 4.34, 1.565, 4.882, 1.611, 5.66,
                          1.68}},
        {.name = "Misra1a",
         .level = "Lower",
         .starts = {{{500, 0.0001}, {250, 0.0005}}},
         .certified = {2.3894212918E+02, 5.5015643181E-04},
         .certified_residual_sum = 1.2455138894E-01,
         .observations = misra_observations},
        {.name = "Lanczos3",
         .level = "Lower",
         .starts = {{{1.2, 0.3, 5.6, 5.5, 6.5, 7.6}, {0.5, 0.7, 3.6, 4.2, 4, 6.3}}},
         .certified = {8.6816414977E-02, 9.5498101505E-01, 8.4400777463E-01, 2.9515951832E+00,
                       1.5825685901E+00, 4.9863565084E+00},
         .certified_residual_sum = 1.6117193594E-08,
         .observations = {2.5134, 0,    2.0443, 0.05, 1.6684, 0.1,  1.3664, 0.15, 1.1232, 0.2,
                          0.9269, 0.25, 0.7679, 0.3,  0.6389, 0.35, 0.5338, 0.4,  0.4479, 0.45,
                          0.3776, 0.5,  0.3197, 0.55, 0.272,  0.6,  0.2325, 0.65, 0.1997, 0.7,
                          0.1723, 0.75, 0.1493, 0.8,  0.1301, 0.85, 0.1138, 0.9,  0.1,    0.95,
                          0.0883, 1,    0.0783, 1.05, 0.0698, 1.1,  0.0624, 1.15}},
        {.name = "Misra1d",
         .level = "Average",
         .starts = {{{500, 0.0001}, {450, 0.0003}}},
         .certified = {4.3736970754E+02, 3.0227324449E-04},
         .certified_residual_sum = 5.6419295283E-02,
         .observations = misra_observations},
        {.name = "MGH17",
         .level = "Average",
         .starts = {{{50, 150, -100, 1, 2}, {0.5, 1.5, -1, 0.01, 0.02}}},
         .certified = {3.7541005211E-01, 1.9358469127E+00, -1.4646871366E+00, 1.2867534640E-02,
                       2.2122699662E-02},
         .certified_residual_sum = 5.4648946975E-05,
         .observations = {0.844, 0,   0.908, 10,  0.932, 20,  0.936, 30,  0.925, 40,  0.908, 50,
                          0.881, 60,  0.85,  70,  0.818, 80,  0.784, 90,  0.751, 100, 0.718, 110,
                          0.685, 120, 0.658, 130, 0.628, 140, 0.603, 150, 0.58,  160, 0.558, 170,
                          0.538, 180, 0.522, 190, 0.506, 200, 0.49,  210, 0.478, 220, 0.467, 230,
                          0.457, 240, 0.448, 250, 0.438, 260, 0.431, 270, 0.424, 280, 0.42,  290,
                          0.414, 300, 0.411, 310, 0.406, 320}},
        {.name = "BoxBOD",
         .level = "Higher",
         .starts = {{{1, 1}, {100, 0.75}}},
         .certified = {2.1380940889E+02, 5.4723748542E-01},
         .certified_residual_sum = 1.1680088766E+03,
         .observations = {109, 1, 149, 2, 149, 3, 191, 5, 213, 7, 224, 10}},
        {.name = "MGH09",
         .level = "Higher",
         .starts = {{{25, 39, 41.5, 39}, {0.25, 0.39, 0.415, 0.39}}},
         .certified = {1.9280693458E-01, 1.9128232873E-01, 1.2305650693E-01, 1.3606233068E-01},
         .certified_residual_sum = 3.0750560385E-04,
         .observations = {0.1957, 4,      0.1947, 2,      0.1735, 1,     0.16,   0.5,
                          0.0844, 0.25,   0.0627, 0.167,  0.0456, 0.125, 0.0342, 0.1,
                          0.0323, 0.0833, 0.0235, 0.0714, 0.0246, 0.0625}},
        {.name = "Rat43",
         .level = "Higher",
         .starts = {{{100, 10, 1, 1}, {700, 5, 0.75, 1.3}}},
         .certified = {6.9964151270E+02, 5.2771253025E+00, 7.5962938329E-01, 1.2792483859E+00},
         .certified_residual_sum = 8.7864049080E+03,
         .observations = {16.08,  1,  33.83,  2,  65.8,   3,  97.2,   4,  191.55, 5,
                          326.2,  6,  386.87, 7,  520.53, 8,  590.03, 9,  651.92, 10,
                          724.93, 11, 699.56, 12, 689.96, 13, 637.56, 14, 717.41, 15}},
    };
    return problems;
}

} // namespace nist
