// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The readers of examples/data_files: what they take, and what they say about what they reject.
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <data_files/array_file.hpp>
#include <data_files/bytes.hpp>
#include <data_files/csv.hpp>
#include <data_files/generator.hpp>
#include <data_files/idx.hpp>
#include <data_files/input_error.hpp>
#include <data_files/npy.hpp>

namespace {

using namespace std::string_literals;
using shape = std::vector<std::size_t>;
using values = std::vector<double>;
using names = std::vector<std::string>;

// What a reader says about what it rejects.
template <class Read>
std::string complaint(Read read) {
    try {
        read();
    } catch (const data_files::input_error& error) {
        return error.what();
    }
    return "";
}

data_files::table csv(const std::string& text) {
    std::istringstream in(text);
    return data_files::read_csv(in, "some.csv");
}
std::string csv_complaint(const std::string& text) {
    return complaint([&] { csv(text); });
}

data_files::number_array idx(const std::string& bytes) {
    return data_files::read_idx(bytes, "some.idx");
}
std::string idx_complaint(const std::string& bytes) {
    return complaint([&] { idx(bytes); });
}

// A file of version 1 with this header and payload.
std::string npy_file(const std::string& header, const std::string& payload) {
    return "\x93NUMPY\x01\x00"s + static_cast<char>(header.size()) + '\0' + header + payload;
}
std::string dictionary(const std::string& descr, const std::string& order, const std::string& s) {
    return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + s + ", }  \n";
}
data_files::number_array npy(const std::string& bytes) {
    return data_files::read_npy(bytes, "some.npy");
}
std::string npy_complaint(const std::string& bytes) {
    return complaint([&] { npy(bytes); });
}

const std::string six_bytes = "\x01\x02\x03\x04\x05\xff";
const std::string idx_head = "\x00\x00\x08\x02\x00\x00\x00\x02\x00\x00\x00\x03"s;

// What `printf abcabc | gzip -n` writes.
const std::string zipped = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x4b\x4c\x4a\x4e\x4c\x4a\x06"
                           "\x00\x4c\x99\x6e\x72\x06\x00\x00\x00"s;

} // namespace

TEST_CASE("csv: rows alone, and rows under the names of their columns") {
    const data_files::table plain = csv("1,2.5\n-3e1,4\n");
    CHECK(plain.values == values{1, 2.5, -30, 4});
    CHECK(plain.columns == 2);
    CHECK(plain.rows() == 2);
    CHECK(plain.names.empty());

    const data_files::table named = csv("x,\"y, in m\", z\r\n\r\n 1 ,2,\"3\"\r\n4,5,6");
    CHECK(named.names == names{"x", "y, in m", "z"});
    CHECK(named.values == values{1, 2, 3, 4, 5, 6});
    CHECK(named.lines == std::vector<std::size_t>{3, 4});
    CHECK(named.at(1, 2) == 6);
    CHECK(csv("\xef\xbb\xbf"
              "1,2\n")
              .values == values{1, 2});
}

TEST_CASE("csv: scikit-learn's first line") {
    const data_files::table table = csv("2,3,malignant,benign\n1,2,3,0\n4,5,6,1\n");
    CHECK(table.class_names == names{"malignant", "benign"});
    CHECK(table.columns == 4);
    CHECK(table.values == values{1, 2, 3, 0, 4, 5, 6, 1});
}

TEST_CASE("csv: what is malformed, with file, line and reason") {
    CHECK(csv_complaint("a,b\n1,2\n1,x\n") == "some.csv:3: \"x\" is not a finite number");
    CHECK(csv_complaint("1,2\n1,nan\n") == "some.csv:2: \"nan\" is not a finite number");
    CHECK(csv_complaint("1,2\n1,1e999\n") == "some.csv:2: \"1e999\" is not a finite number");
    CHECK(csv_complaint("1,2\n1,2 3\n") == "some.csv:2: \"2 3\" is not a finite number");
    CHECK(csv_complaint("1,2\n1,\n") == "some.csv:2: \"\" is not a finite number");
    CHECK(csv_complaint("a,b\n1,2,3\n") == "some.csv:2: expected 2 numbers, found 3");
    CHECK(csv_complaint("1,2\n\n1\n") == "some.csv:3: expected 2 numbers, found 1");
    CHECK(csv_complaint("1,2\n\"1,2\n") == "some.csv:2: a quoted field does not end");
    CHECK(csv_complaint("1,2\n\"1\"2,2\n") == "some.csv:2: text after a quoted field");
    CHECK(csv_complaint("nan,-inf\n1,2\n") == "some.csv:1: \"nan\" is not a finite number");
    CHECK(csv_complaint("NA,NA\n1,2\n") == "some.csv:1: \"NA\" is not a finite number");
    CHECK(csv_complaint("2,NA\n1,2\n") == "some.csv:1: \"NA\" is not a finite number");
    CHECK(csv("Na,NA\n1,2\n").names == names{"Na", "NA"});
    CHECK(csv(",x\n1,2\n").names == names{"", "x"});
    CHECK(csv_complaint("1,b,2\n") ==
          "some.csv:1: neither names, nor numbers, nor ROWS,FEATURES,CLASS,CLASS...");
    CHECK(csv_complaint("2,1,no,yes\n1,2\n1\n") == "some.csv:3: expected 2 numbers, found 1");
    CHECK(csv_complaint("2,1,no,yes\n1,2\n") ==
          "some.csv:2: the first line promises 2 rows, and the file has 1");
    CHECK(csv_complaint("") == "some.csv: no row of numbers in the file");
    CHECK(csv_complaint("a,b\n") == "some.csv: no row of numbers in the file");
    CHECK(complaint([] { data_files::read_csv_file("no/such.csv"); }) ==
          "no/such.csv: cannot be opened");
    CHECK(complaint([] { data_files::read_csv_file("."); }) == ".: cannot be read");
}

TEST_CASE("idx: all types of numbers") {
    const data_files::number_array bytes = idx(idx_head + six_bytes);
    CHECK(bytes.shape == shape{2, 3});
    CHECK(bytes.values == values{1, 2, 3, 4, 5, 255});
    const auto one = [](char type, const std::string& payload) {
        const auto read = idx("\x00\x00"s + type + "\x01\x00\x00\x00\x01"s + payload);
        CHECK(read.shape == shape{1});
        return read.values[0];
    };
    CHECK(one('\x09', "\xff") == -1);
    CHECK(one('\x0b', "\xff\xfe") == -2);
    CHECK(one('\x0c', "\x00\x01\x00\x00"s) == 65536);
    CHECK(one('\x0d', "\xc0\x20\x00\x00"s) == -2.5);
    CHECK(one('\x0e', "\x3f\xf8\x00\x00\x00\x00\x00\x00"s) == 1.5);
}

TEST_CASE("idx: what is malformed") {
    CHECK(idx_complaint("") ==
          "some.idx: not an IDX file: it does not begin with two zero bytes, a type and a rank");
    CHECK(idx_complaint("PK\x03\x04") == idx_complaint(""));
    CHECK(idx_complaint("\x00\x00\x07\x01"s) == "some.idx: IDX has no type of number 7");
    CHECK(idx_complaint("\x00\x00\x08\x00"s) == "some.idx: an IDX file without axes");
    CHECK(idx_complaint(idx_head.substr(0, 11)) ==
          "some.idx: the file ends within the sizes of its 2 axes");
    CHECK(idx_complaint(idx_head + "12345") ==
          "some.idx: the shape [2,3] needs 6 bytes, and 5 follow");
    CHECK(idx_complaint(idx_head + "1234567") ==
          "some.idx: the shape [2,3] needs 6 bytes, and 7 follow");
    CHECK(idx_complaint("\x00\x00\x0e\x03"s + std::string(12, '\xff')) ==
          "some.idx: the shape [4294967295,4294967295,4294967295] is too large");
    CHECK(idx_complaint("\x00\x00\x0d\x01\x00\x00\x00\x01\x7f\xc0\x00\x00"s) ==
          "some.idx: element 0 is not a finite number");
}

TEST_CASE("npy: types, byte orders, orders of axes, ranks") {
    const data_files::number_array matrix =
        npy(npy_file(dictionary("|u1", "False", "(2, 3)"), six_bytes));
    CHECK(matrix.shape == shape{2, 3});
    CHECK(matrix.values == values{1, 2, 3, 4, 5, 255});
    CHECK(npy(npy_file(dictionary("|i1", "True", "(2, 3)"), six_bytes)).values ==
          values{1, 3, 5, 2, 4, -1});
    CHECK(npy(npy_file(dictionary("<i2", "False", "(3,)"), six_bytes)).values ==
          values{0x201, 0x403, -251});
    CHECK(npy(npy_file(dictionary(">u2", "False", "(1, 3)"), six_bytes)).values ==
          values{0x102, 0x304, 0x5ff});
    CHECK(npy(npy_file(dictionary("<f4", "False", "(1,)"), "\x00\x00\x20\xc0"s)).values[0] == -2.5);
    const data_files::number_array number =
        npy(npy_file(dictionary(">f8", "False", "()"), "\x3f\xf8\x00\x00\x00\x00\x00\x00"s));
    CHECK(number.shape.empty());
    CHECK(number.values == values{1.5});
    CHECK(npy(npy_file(dictionary("<f8", "True", "(0, 4)"), "")).values.empty());
    CHECK(npy("\x93NUMPY\x02\x00\x35\x00\x00\x00"s +
              "{'shape':(1,),\"fortran_order\":False,'descr':'|b1'   }" + "\x01")
              .values == values{1});
}

TEST_CASE("npy: what is malformed") {
    const std::string good = dictionary("|u1", "False", "(2, 3)");
    CHECK(npy_complaint("NUMPY") == "some.npy: not an NPY file: it does not begin with \\x93NUMPY");
    CHECK(npy_complaint("\x93NUMPY\x04\x00"s) == "some.npy: NPY version 4 is not known");
    CHECK(npy_complaint("\x93NUMPY\x01"s) == "some.npy: the file ends before its version");
    CHECK(npy_complaint("\x93NUMPY\x01\x00\x05"s) == "some.npy: the file ends within its header");
    CHECK(npy_complaint(npy_file(good, "").substr(0, 40)) ==
          "some.npy: the file ends within its header");
    CHECK(npy_complaint(npy_file(good, "12345")) ==
          "some.npy: the shape [2,3] needs 6 bytes, and 5 follow");
    CHECK(npy_complaint(npy_file(dictionary("|O", "False", "(2, 3)"), six_bytes)) ==
          "some.npy: the type \"|O\" is not one of real or whole numbers");
    CHECK(npy_complaint(npy_file(dictionary("<c8", "False", "(1,)"), "12345678")) ==
          "some.npy: the type \"<c8\" is not one of real or whole numbers");
    const auto header_complaint = [](const std::string& header) {
        const std::string text = npy_complaint(npy_file(header, "")), before = "malformed: ";
        REQUIRE(text.find(before) != text.npos);
        return text.substr(text.find(before) + before.size());
    };
    CHECK(header_complaint("{'descr': [('a', '<f8')], }") == "expected a string");
    CHECK(header_complaint("{'descr': '<f8', }") == "descr, fortran_order or shape is missing");
    CHECK(header_complaint("{'descr': '<f8' 'shape': ()}") == "expected '}'");
    CHECK(header_complaint("{'descr': '<f8', 'descr': '<f8'}") ==
          "an unknown or repeated key \"descr\"");
    CHECK(header_complaint("{'shape': (-1,)}") == "a size is not a natural number");
    CHECK(header_complaint("{'fortran_order': 0}") == "fortran_order is not True or False");
    CHECK(header_complaint("{'shape") == "a string does not end");
    CHECK(header_complaint(good + "{}") == "text after the dictionary");
}

TEST_CASE("bytes of a file, compressed or not") {
    CHECK(data_files::unpacked("abc", "some.gz") == "abc");
    const std::string hint = complaint([] { data_files::unpacked(zipped, "some.gz"); });
    if (hint.empty()) {
        CHECK(data_files::unpacked(zipped, "some.gz") == "abcabc");
        CHECK(data_files::unpacked(zipped + zipped, "some.gz") == "abcabcabcabc");
        const auto says = [](const std::string& bytes) {
            return complaint([&] { data_files::unpacked(bytes, "some.gz"); });
        };
        CHECK(says(zipped.substr(0, 20)) == "some.gz: the compressed data end too early");
        CHECK(says(zipped + "x") == "some.gz: 1 bytes follow the compressed data");
        std::string damaged = zipped;
        damaged[20] = 'x';
        CHECK(says(damaged) == "some.gz: the compressed data are damaged");
    } else {
        CHECK(hint.ends_with("unpack it first: gunzip --keep some.gz"));
    }
    CHECK(complaint([] { data_files::read_bytes("no/such"); }) == "no/such: cannot be opened");
    CHECK(complaint([] { data_files::read_bytes("."); }) == ".: cannot be read");
}

TEST_CASE("a file's first bytes say how to read it") {
    const auto path = std::filesystem::temp_directory_path() / "dyad_data_files_test";
    const auto read = [&](const std::string& bytes) {
        std::ofstream(path, std::ios::binary) << bytes;
        return data_files::read_array_file(path).shape;
    };
    CHECK(read(idx_head + six_bytes) == shape{2, 3});
    CHECK(read(npy_file(dictionary("|u1", "False", "(3, 2)"), six_bytes)) == shape{3, 2});
    CHECK_THROWS_AS(read("neither"), data_files::input_error);
    std::filesystem::remove(path);
}

TEST_CASE("made numbers are the same everywhere") {
    data_files::generator g(1);
    CHECK(g.uniform() == doctest::Approx(0.13387664401253263).epsilon(1e-15));
    double sum = 0, squares = 0;
    for (int i = 0; i < 10'000; ++i) {
        const double x = g.normal();
        sum += x, squares += x * x;
    }
    CHECK(std::abs(sum / 10'000) < 0.04);
    CHECK(squares / 10'000 == doctest::Approx(1).epsilon(0.06));
    CHECK(g.below(1) == 0);
}
