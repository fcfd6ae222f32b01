// Choosing the events of a webhook.

/** What stands for whole groups takes the place of what it holds. */
export function toggled(events: readonly string[], event: string): string[] {
  if (events.includes(event)) return events.filter((one) => one !== event);
  if (event === "*") return ["*"];
  const [collection, deed] = event.split(".");
  const others = events.filter((one) => one !== "*");
  if (deed === "*") return [...others.filter((one) => !one.startsWith(`${collection}.`)), event];
  return [...others.filter((one) => one !== `${collection}.*`), event];
}
