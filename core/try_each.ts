// Several pieces of work of which none depends on another: each is tried, whatever became of those before it.

/**
 * Runs the tasks one after the other.
 *
 * @throws The error of the first that failed, once all were tried; AggregateError when several failed.
 */
export async function tryEach(tasks: Iterable<() => Promise<void>>): Promise<void> {
  const errors: unknown[] = [];
  for (const task of tasks) {
    try {
      await task();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 1) throw new AggregateError(errors, `${errors.length} tasks failed`);
  if (errors.length === 1) throw errors[0];
}
