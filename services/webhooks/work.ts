// What the rest of the server asks of the webhooks at work in its process.

export interface WebhookWork {
  /** Begins to follow the journal where a webhook is active, and sends what is due. To be called every second. */
  look(): Promise<void>;
  /** Sends what is due, in the background, where this process sends at all. */
  wake(): void;
  /** Ends following and sending; other processes go on. */
  close(): Promise<void>;
}
