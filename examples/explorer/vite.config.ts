// One build with two entries: the page for people, and the operators' page.

import { defineConfig } from 'vite';

// The gateway, and its operators' listener, that `npm run dev` takes answers from.
const gateway = process.env['PORTOLAN_URL'] ?? 'http://127.0.0.1:8080';
const operators = process.env['PORTOLAN_OPERATORS_URL'] ?? 'http://127.0.0.1:9090';

/** What `npm run dev` serves itself; everything else is the gateway's. */
const OWN = '^/(?!$|\\?|index\\.html|operators\\.html|src/|node_modules/|@|clients/|operators-listener/)';

export default defineConfig({
  // Relative, so that the page works below any prefix of a proxy.
  base: './',
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  build: {
    target: ['es2022', 'chrome123', 'firefox120', 'safari17.5'],
    // The content security policy allows files alone.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: { input: ['index.html', 'operators.html'] },
  },
  server: {
    fs: { allow: ['..'] },
    proxy: {
      '/operators-listener': { target: operators, rewrite: (path) => path.replace('/operators-listener', '') },
      [OWN]: { target: gateway },
    },
  },
});
