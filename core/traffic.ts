// The requests of this process, for work that may slow them down.

/** The number of requests that it has answered or is answering. */
export const traffic = { requests: 0 };
