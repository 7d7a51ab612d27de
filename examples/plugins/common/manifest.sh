#!/bin/sh
# Writes the manifest of a built dylib beside it, for minisign to sign: sh manifest.sh target/release/libacme.so
set -eu
dylib=$1
package() { sed -n "s/^$1 = \"\([^\"]*\)\".*/\1/p" Cargo.toml | head -n 1; }
slugs=$(ls protocols | sed -n 's/^\(.*\)\.toml$/"\1"/p' | paste -s -d ,)
cat > "${dylib%.so}.manifest" <<END
name = "$(package name)"
version = "$(package version)"
slugs = [$slugs]
sha256 = "$(sha256sum "$dylib" | cut -d ' ' -f 1)"
END
