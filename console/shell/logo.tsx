// The sign of the product: an anchor.
export function Logo({ narrow = false }: { readonly narrow?: boolean }) {
  return (
    <a class="logo" href="/" aria-label="Quarterdeck">
      <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true">
        <rect width="32" height="32" rx="8" class="logo-ground" />
        <path d="M16 10v16M9 13h14M8 19c1 5 4 7 8 7s7-2 8-7" class="logo-line" />
        <circle cx="16" cy="7.5" r="2.5" class="logo-line" />
      </svg>
      {!narrow && <span>Quarterdeck</span>}
    </a>
  );
}
