// Where and by what a session was opened, in the language of the console: the server tells both in English alone.
import { translated } from "./language.ts";

const texts = translated({
  en: {
    own: "the server's own machine",
    private: "a private network",
    internet: "the Internet",
    on: (browser: string, system: string) => `${browser} on ${system}`,
  },
  zh: {
    own: "服务器本机",
    private: "专用网络",
    internet: "互联网",
    on: (browser: string, system: string) => `${system} 上的 ${browser}`,
  },
});

/** As the server begins what it says of an address; the address itself follows in brackets. */
const SERVERS_PLACES = [
  ["the server's own machine", "own"],
  ["a private network", "private"],
  ["the Internet", "internet"],
] as const;

/** A place, then the address where that is not said yet; what the server tells otherwise stands as it is. */
export function placeWords({ place, ip }: { readonly place?: string; readonly ip?: string }) {
  const known = SERVERS_PLACES.find(([words]) => place?.startsWith(words))?.[1];
  const words = known ? texts()[known] : place;
  return [words, ip].filter(Boolean).join(" · ");
}

/** Such as `Firefox on Windows`; undefined where the server does not know it. */
export function deviceWords({ device }: { readonly device?: string }): string | undefined {
  const [browser, system] = device?.split(" on ") ?? [];
  return browser && system ? texts().on(browser, system) : device;
}
