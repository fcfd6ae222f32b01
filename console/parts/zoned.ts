// Between moments and what the clock on the wall shows in a time zone.

/** By zone: making one takes far longer than asking it. */
const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(zone: string): Intl.DateTimeFormat {
  const made = clocks.get(zone);
  if (made) return made;
  const format = new Intl.DateTimeFormat("en-u-ca-iso8601-nu-latn", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  clocks.set(zone, format);
  return format;
}

/** The parts of a moment in a zone, as numbers. */
function clock(at: number, zone: string): Record<string, number> {
  return Object.fromEntries(
    clockOf(zone).formatToParts(at).map(({ type, value }) => [type, Number(value)]),
  );
}

/** Milliseconds by which the zone's clocks are ahead of UTC at a moment. */
function offset(at: number, zone: string): number {
  const { year, month, day, hour, minute, second } = clock(at, zone);
  const shown = Date.UTC(year!, month! - 1, day!, hour!, minute!, second!);
  return shown - Math.floor(at / 1000) * 1000;
}

/**
 * @param iso A moment, ISO 8601.
 * @returns What `datetime-local` fields hold, `2026-11-22T19:50`; an empty text where it is no moment.
 */
export function wallTime(iso: string, zone: string): string {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return "";
  return new Date(at + offset(at, zone)).toISOString().slice(0, 16);
}

/**
 * The moment at which clocks in the zone show a time. Where they show it twice (clocks set back), the first; where they
 * leave it out (clocks set forward), as much later as they are set.
 *
 * @param wall `2026-11-22T19:50`
 * @returns ISO 8601 in UTC; an empty text where it is no time.
 */
export function moment(wall: string, zone: string): string {
  const shown = Date.parse(`${wall}Z`);
  if (Number.isNaN(shown)) return "";
  const DAY = 86_400_000;
  const offsets = [offset(shown - DAY, zone), offset(shown + DAY, zone)];
  const fitting = offsets
    .map((ahead) => shown - ahead)
    .filter((at) => at + offset(at, zone) === shown);
  const at = fitting.length > 0 ? Math.min(...fitting) : shown - offsets[0]!;
  return new Date(at).toISOString();
}
