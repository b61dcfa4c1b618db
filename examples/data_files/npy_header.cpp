// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The little of Python's notation that NumPy writes: strings, True and False, tuples of whole
// numbers. Each of the three keys occurs once, in any order.
#include "npy_header.hpp"

#include <charconv>
#include <optional>

#include "input_error.hpp"

namespace data_files {
namespace {

class dictionary_reader {
public:
    dictionary_reader(std::string_view text, const std::string& file) : rest_(text), file_(file) {}

    npy_header run() {
        expect('{');
        while (!accept('}')) {
            entry();
            if (accept(',')) continue;
            expect('}');
            break;
        }
        skip_blanks();
        if (!rest_.empty()) fail("text after the dictionary");
        if (!descr_ || !fortran_order_ || !shape_) fail("descr, fortran_order or shape is missing");
        return {*descr_, *fortran_order_, *shape_};
    }

private:
    [[noreturn]] void fail(std::string_view reason) const {
        reject(file_, "the NPY header is malformed: ", reason);
    }
    void skip_blanks() {
        const std::size_t first = rest_.find_first_not_of(" \n");
        rest_.remove_prefix(first == rest_.npos ? rest_.size() : first);
    }
    bool accept(std::string_view word) {
        skip_blanks();
        if (!rest_.starts_with(word)) return false;
        rest_.remove_prefix(word.size());
        return true;
    }
    bool accept(char c) { return accept(std::string_view(&c, 1)); }
    void expect(char c) {
        if (!accept(c)) fail(std::string("expected '") + c + '\'');
    }

    void entry() {
        const std::string key = string();
        expect(':');
        if (key == "descr" && !descr_) {
            descr_ = string();
        } else if (key == "fortran_order" && !fortran_order_) {
            fortran_order_ = accept("True");
            if (!*fortran_order_ && !accept("False")) fail("fortran_order is not True or False");
        } else if (key == "shape" && !shape_) {
            shape_ = tuple();
        } else {
            fail("an unknown or repeated key \"" + key + '"');
        }
    }
    std::string string() {
        const char quote = accept('"') ? '"' : '\'';
        if (quote == '\'' && !accept('\'')) fail("expected a string");
        const std::size_t end = rest_.find(quote);
        if (end == rest_.npos) fail("a string does not end");
        std::string result(rest_.substr(0, end));
        rest_.remove_prefix(end + 1);
        return result;
    }
    std::vector<std::size_t> tuple() {
        std::vector<std::size_t> result;
        expect('(');
        while (!accept(')')) {
            result.push_back(size());
            if (accept(',')) continue;
            expect(')');
            break;
        }
        return result;
    }
    std::size_t size() {
        skip_blanks();
        std::size_t value = 0;
        const auto [stop, error] =
            std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
        if (error != std::errc{}) fail("a size is not a natural number");
        rest_.remove_prefix(static_cast<std::size_t>(stop - rest_.data()));
        return value;
    }

    std::string_view rest_;
    const std::string& file_;
    std::optional<std::string> descr_;
    std::optional<bool> fortran_order_;
    std::optional<std::vector<std::size_t>> shape_;
};

} // namespace

npy_header read_npy_header(std::string_view dictionary, const std::string& file) {
    return dictionary_reader(dictionary, file).run();
}

} // namespace data_files
