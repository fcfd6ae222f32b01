// How hard a password is to guess, roughly: for the bar under the field. What counts is what the server says.

/** From very weak to strong. */
export type Strength = 0 | 1 | 2 | 3 | 4;

/** Bits below which a password is no more than weak, fair and good; each step is about a thousand times the work. */
const STEPS = [28, 38, 50, 64] as const;

/** Runs that people type without thinking. */
const RUNS = [
  "abcdefghijklmnopqrstuvwxyz",
  "01234567890",
  "qwertyuiop",
  "asdfghjkl",
  "zxcvbnm",
  "password",
];

/** @param least Characters that the server wants; what is shorter is very weak. */
export function passwordStrength(password: string, least: number): Strength {
  if ([...password].length < least) return 0;
  const bits = effectiveLength(password) * Math.log2(alphabet(password));
  return STEPS.filter((step) => bits >= step).length as Strength;
}

/** Of how many kinds of characters it is made. */
function alphabet(password: string): number {
  const kinds: readonly (readonly [RegExp, number])[] = [
    [/[a-z]/, 26],
    [/[A-Z]/, 26],
    [/\d/, 10],
    [/[^\w\s]/, 32],
    [/\s/, 2],
    [/[^\p{ASCII}]/u, 100],
  ];
  return kinds.reduce((sum, [kind, size]) => sum + (kind.test(password) ? size : 0), 1);
}

/** Characters that say something new: a third that repeats or goes on with a run counts a quarter. */
function effectiveLength(password: string): number {
  const characters = [...password.toLowerCase()];
  return characters.reduce((length, character, index) => {
    const before = characters[index - 1];
    const follows = before !== undefined &&
      (character === before ||
        RUNS.some((run) => run.includes(before + character) || run.includes(character + before)));
    return length + (follows ? 0.25 : 1);
  }, 0);
}
