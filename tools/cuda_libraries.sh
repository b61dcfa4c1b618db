# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the dyad authors

# For scripts that call nvcc: the libraries of CUDA that are there, as dyad asks for them and as they are linked with.
#   . tools/cuda_libraries.sh; nvcc "${cuda_defines[@]}" ... "${cuda_links[@]}"
# shellcheck disable=SC2034 # who includes this uses them
cuda_defines=()
cuda_links=()
cuda_probe=$(mktemp -d)
for library in cublas_v2.h:DYAD_CUBLAS:cublas cusolverDn.h:DYAD_CUSOLVER:cusolver cudnn.h:DYAD_CUDNN:cudnn; do
    IFS=: read -r header define name <<<"$library"
    # (A header alone is no library: CUDA's packages come in parts.)
    printf '#include <%s>\nint main() { return 0; }\n' "$header" >"$cuda_probe/main.cpp"
    nvcc "$cuda_probe/main.cpp" -o "$cuda_probe/main" "-l$name" >/dev/null 2>&1 || continue
    cuda_defines+=("-D$define")
    cuda_links+=("-l$name")
done
rm -rf "$cuda_probe"
