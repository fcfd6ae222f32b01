// Places for stores that the tests of backups make.
export async function kvFile(): Promise<{ url: string; drop(): Promise<void> }> {
  const folder = await Deno.makeTempDir({ prefix: "quarterdeck-kv-" });
  return { url: `kv:${folder}/store.kv`, drop: () => Deno.remove(folder, { recursive: true }) };
}
