// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The command line of an example: `--name value` pairs and --help come in; out go their values, and the exit status of
// main. 0: good; 1: not, or a file is unfit; 2: the command line is wrong.
#pragma once

#include <charconv>
#include <cstdio>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace command_line {

struct usage_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct option {
    std::string name;  // "--data"
    std::string value; // what it needs: "a file"
};

class options {
public:
    options(const std::vector<std::string_view>& arguments, const std::vector<option>& known) {
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            if (arguments[i] == "--help") {
                help = true;
                continue;
            }
            const option* found = nullptr;
            for (const option& o : known)
                if (o.name == arguments[i]) found = &o;
            if (found == nullptr)
                throw usage_error("unknown argument \"" + std::string(arguments[i]) + "\"");
            if (++i == arguments.size() || arguments[i].empty())
                throw usage_error(found->name + " needs " + found->value);
            values_[found->name] = arguments[i];
        }
    }

    bool help = false;

    // Empty, if it was not given.
    const std::string& text(const std::string& name) const {
        static const std::string none;
        const auto found = values_.find(name);
        return found == values_.end() ? none : found->second;
    }
    template <class Number>
    Number number(const std::string& name, Number otherwise) const {
        const std::string& t = text(name);
        if (t.empty()) return otherwise;
        Number value{};
        const auto [stop, error] = std::from_chars(t.data(), t.data() + t.size(), value);
        if (error != std::errc{} || stop != t.data() + t.size())
            throw usage_error(name + " needs a number");
        return value;
    }

private:
    std::map<std::string, std::string> values_;
};

// Runs `body`, which returns whether all was well.
template <class Body>
int run(const char* program, const char* usage, int argc, char** argv, const std::vector<option>& known,
        const Body& body) try {
    const options chosen({argv + 1, argv + argc}, known);
    if (chosen.help) {
        std::fputs(usage, stdout);
        return 0;
    }
    return body(chosen) ? 0 : 1;
} catch (const usage_error& error) {
    std::fprintf(stderr, "%s: %s\n\n%s", program, error.what(), usage);
    return 2;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", program, error.what());
    return 1;
}

} // namespace command_line
