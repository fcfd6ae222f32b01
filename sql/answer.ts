// One statement's answer from Postgres, within a time.
import type { Duplex } from "node:stream";
import type pg from "pg";

/** A query as the client runs it, its own kind or another one. */
type Asked = pg.QueryConfig | pg.Submittable;

/** No answer came in time. */
export class ReadTimeout extends Error {
  /** Worded as the client's own error of the kind; see dialect.ts. */
  constructor() {
    super("Query read timeout");
  }
}

/**
 * What the client's own promises and its `query_timeout` do, in another way: both assign a function literal to a
 * property, which V8 makes among its old objects at once. Such a function, dead as it is, keeps what it refers to until
 * the next full collection: the rows of the answer.
 *
 * @param within Milliseconds; then the connection is of no use any more, and is closed where others wait behind it.
 * @default for as long as it takes
 * @throws {ReadTimeout}
 */
export function answerTo<R>(
  client: Pick<pg.ClientBase, "query">,
  asked: Asked,
  within?: number,
): Promise<R> {
  return new Promise((resolve, reject) => {
    const late = () => {
      reject(new ReadTimeout());
      const { pipeline, connection } = client as unknown as Connected;
      if (pipeline) connection.stream.destroy();
    };
    const timer = within === undefined ? undefined : setTimeout(late, within);
    const answered = (error: Error | null, answer: R) => {
      clearTimeout(timer);
      if (error) reject(error);
      else resolve(answer);
    };
    (client as unknown as Callable<R>).query(asked, answered);
  });
}

/** What the client's types leave out. */
interface Connected {
  readonly pipeline?: boolean;
  readonly connection: { readonly stream: Duplex };
}

interface Callable<R> {
  query(asked: Asked, answered: (error: Error | null, answer: R) => void): void;
}
