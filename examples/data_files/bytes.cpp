// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What is compressed is known by its first two bytes, never by its name.
#include "bytes.hpp"

#include <array>
#include <fstream>

#include "input_error.hpp"

#if defined(DATA_FILES_ZLIB) && __has_include(<zlib.h>)
#include <zlib.h>
#endif

namespace data_files {
namespace {

bool is_gzip(const std::string& bytes, std::size_t from) {
    return bytes.compare(from, 2, "\x1f\x8b") == 0;
}

#if defined(DATA_FILES_ZLIB) && __has_include(<zlib.h>)

// A few bytes can claim to be a great many.
constexpr std::size_t largest_unpacked = std::size_t{1} << 30;

class inflation {
public:
    inflation(const std::string& bytes, const std::string& file) : bytes_(bytes), file_(file) {
        constexpr int gzip_only = 16 + MAX_WBITS;
        if (inflateInit2(&stream_, gzip_only) != Z_OK) reject(file_, "zlib does not start");
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes_.data()));
        stream_.avail_in = static_cast<uInt>(bytes_.size());
    }
    inflation(const inflation&) = delete;
    inflation& operator=(const inflation&) = delete;
    ~inflation() { inflateEnd(&stream_); }

    std::string run() {
        std::string result;
        for (;;) {
            const int status = step(result);
            if (status == Z_BUF_ERROR) reject(file_, "the compressed data end too early");
            if (status != Z_OK && status != Z_STREAM_END)
                reject(file_, "the compressed data are damaged");
            if (result.size() > largest_unpacked)
                reject(file_, "unpacks to more than ", largest_unpacked, " bytes");
            if (status == Z_STREAM_END && !another_member()) return result;
        }
    }

private:
    int step(std::string& result) {
        std::array<char, 1 << 16> part;
        stream_.next_out = reinterpret_cast<Bytef*>(part.data());
        stream_.avail_out = static_cast<uInt>(part.size());
        const int status = inflate(&stream_, Z_NO_FLUSH);
        result.append(part.data(), part.size() - stream_.avail_out);
        return status;
    }

    // A gzip file may be several, one after the other.
    bool another_member() {
        if (stream_.avail_in == 0) return false;
        if (!is_gzip(bytes_, bytes_.size() - stream_.avail_in))
            reject(file_, stream_.avail_in, " bytes follow the compressed data");
        inflateReset(&stream_);
        return true;
    }

    const std::string& bytes_;
    const std::string& file_;
    z_stream stream_{};
};

std::string gunzip(const std::string& bytes, const std::string& file) {
    if (bytes.size() > largest_unpacked)
        reject(file, "more than ", largest_unpacked, " compressed bytes");
    return inflation(bytes, file).run();
}

#else

std::string gunzip(const std::string&, const std::string& file) {
    reject(file,
           "is compressed with gzip, and this program was built without zlib; unpack it "
           "first: gunzip --keep ",
           file);
}

#endif

} // namespace

std::string unpacked(std::string bytes, const std::string& file) {
    return is_gzip(bytes, 0) ? gunzip(bytes, file) : bytes;
}

std::string read_bytes(const std::filesystem::path& path) {
    const std::string file = path.string();
    std::ifstream in(path, std::ios::binary);
    if (!in) reject(file, "cannot be opened");
    std::string bytes;
    std::array<char, 1 << 16> part;
    while (in.read(part.data(), part.size()) || in.gcount() > 0)
        bytes.append(part.data(), static_cast<std::size_t>(in.gcount()));
    if (in.bad()) reject(file, "cannot be read");
    return unpacked(std::move(bytes), file);
}

} // namespace data_files
