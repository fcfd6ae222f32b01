// How many test files run at a time: more than there are processors, since many wait for servers, databases and disks.
// deno-lint-ignore-file no-console -- the task reads it

console.log(Deno.env.get("DENO_JOBS") ?? 2 * navigator.hardwareConcurrency);
