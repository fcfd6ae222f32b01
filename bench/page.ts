// Writes the pages of docs/ that are generated from the code.

/** Writes a page in the form that `deno fmt` gives it. */
export async function writePage(path: URL, text: string): Promise<void> {
  await Deno.writeTextFile(path, text);
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["fmt", "--quiet", path.pathname],
    stdout: "inherit",
    stderr: "inherit",
  }).output();
  if (!success) throw new Error(`Cannot format ${path.pathname}`);
}
