// The icon of every page: an anchor.
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="8" fill="#0b6382"/>
<g fill="none" stroke="#fff" stroke-width="2.25" stroke-linecap="round">
<path d="M16 10v16M9 13h14M8 19c1 5 4 7 8 7s7-2 8-7"/><circle cx="16" cy="7.5" r="2.5"/></g></svg>`;
