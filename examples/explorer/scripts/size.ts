// Prints what the build weighs, and fails above the bound.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** All files of the build together, as a visitor of both pages would load them. */
const GZIP_BYTES_MAX = 150_000;

const files = readdirSync('dist', { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
const sizes = files.map(({ parentPath, name }) => {
  const path = join(parentPath, name);
  return { path, bytes: gzipSync(readFileSync(path), { level: 9 }).length };
});
const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
for (const { path, bytes } of sizes) console.log(`${String(bytes).padStart(8)}  ${path}`);
console.log(`${String(total).padStart(8)}  all, with gzip (at most ${GZIP_BYTES_MAX})`);
if (total > GZIP_BYTES_MAX) process.exit(1);
