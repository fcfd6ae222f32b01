// Gives the answers of one turn of the event loop together.
import { setImmediate } from "node:timers";

/** Answers that wait for the end of the turn in which they were made. */
export class Bursts {
  #answers: Response[] = [];
  #gives: ((answer: Response) => void)[] = [];

  /**
   * Holds an answer until all requests are through that this turn has for it. An answer that goes out at once wakes the
   * process at the other end, if that has nothing else to do, which costs as much as a third of making a page; of answers
   * that go out one right after the other only the first does.
   */
  add(answer: Response): Promise<Response> {
    return new Promise((give) => {
      if (this.#answers.push(answer) === 1) setImmediate(() => this.#giveAll());
      this.#gives.push(give);
    });
  }

  #giveAll(): void {
    const answers = this.#answers, gives = this.#gives;
    this.#answers = [];
    this.#gives = [];
    for (const [n, give] of gives.entries()) give(answers[n]!);
  }
}
