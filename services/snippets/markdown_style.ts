// The stylesheet inside every document made from Markdown.

/** Readable in print and on a phone, light and dark. */
export const MARKDOWN_STYLE = `
:root { color-scheme: light dark; }
body { max-width: 44rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; line-height: 1.65;
  font-family: system-ui, sans-serif; color: light-dark(#1b2430, #dfe6ee);
  background: light-dark(#fff, #12181f); overflow-wrap: break-word; }
h1, h2, h3, h4, h5, h6 { line-height: 1.25; margin: 2em 0 .6em; }
h1 { font-size: 2rem; margin-top: .5em; } h2 { font-size: 1.45rem; } h3 { font-size: 1.2rem; }
a { color: light-dark(#0b6382, #6cc5e0); }
img { max-width: 100%; height: auto; }
code, kbd, samp { font-family: ui-monospace, monospace; font-size: .9em; }
code { padding: .1em .3em; border-radius: 4px; background: light-dark(#eef1f5, #1d2631); }
pre { padding: 1rem; border-radius: 8px; overflow-x: auto; background: light-dark(#eef1f5, #1d2631); }
pre code { padding: 0; background: none; }
blockquote { margin-inline: 0; padding-inline-start: 1rem; color: light-dark(#4d5a6a, #a7b4c3);
  border-inline-start: 3px solid light-dark(#c9d1db, #3a4653); }
table { display: block; overflow-x: auto; border-collapse: collapse; }
th, td { padding: .4rem .75rem; border: 1px solid light-dark(#d5dbe3, #303b47); }
hr { border: 0; border-top: 1px solid light-dark(#d5dbe3, #303b47); margin: 2rem 0; }
`;
