// The table of rate limits: what may be done how often, and why so often.

/** The hits that are allowed in one window: each number that is given is a limit of its own. */
export interface RateLimit {
  /** Hits of one network, whatever the account. */
  readonly perNetwork?: number;
  /** Hits of one network for one account; and hits of one device that is known to the account. */
  readonly perPair?: number;
  /** Hits of one account. Only where others cannot harm it by using them up: own requests, mails it need not get. */
  readonly perAccount?: number;
  /** Hits of one account from all networks, after which each network has only `SLOWED` tries. It locks nobody out. */
  readonly slowAfter?: number;
  /** Length of the window in seconds. */
  readonly window: number;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/**
 * OWASP Authentication Cheat Sheet: throttle by account and by source. OWASP ASVS 5.0, 6.3.1: throttling must be no
 * means to lock others out.
 */
export const rateLimits = {
  /** Failures only. */
  login: { perNetwork: 50, perPair: 10, slowAfter: 100, window: 15 * MINUTE },
  /**
   * Failures only: answers of passkeys, which nobody guesses. It limits what checking signatures costs, and keeps no
   * network from the passkeys that have not failed from it.
   */
  passkey: { perNetwork: 50, perPair: 10, window: 15 * MINUTE },
  /** Sign-ins with the right password, or by a passkey: each makes a session. */
  signIn: { perPair: 60, window: MINUTE },
  /**
   * Failures only: wrong codes of a second factor, by those who had the right password or an open session. With 20 for
   * an account, the chance of a guess is 0.6 % a day (three of a million codes are right at a time: RFC 6238).
   */
  secondFactor: { perPair: 10, perAccount: 20, window: 15 * MINUTE },
  /** Codes that confirm an authenticator. The account is the id of the user. */
  totpConfirmation: { perAccount: 20, window: 15 * MINUTE },
  /**
   * Mails about new devices and copies of passkeys; beyond it sign-ins are not told of. The account is the id of the
   * user.
   */
  deviceMail: { perAccount: 5, window: HOUR },
  register: { perNetwork: 20, window: HOUR },
  /** Tries to name the first administrator, which this machine alone may: each computes a hash. */
  setup: { perNetwork: 20, window: HOUR },
  /** Failures only: answers of a provider that are not taken. Each has the server ask the provider. */
  providerAnswer: { perNetwork: 30, window: 15 * MINUTE },
  /** Accounts that first sign-ins by a provider make: a company's people may share an address on their first day. */
  providerSignUp: { perNetwork: 200, window: HOUR },
  forgotPassword: { perNetwork: 20, perPair: 5, window: HOUR },
  /**
   * Mails with a link, whoever asks for them. A request beyond the limit gets the same answer, but no mail is sent: the
   * link in the last mail is good for another half an hour at least.
   */
  resetMail: { perAccount: 3, window: HOUR / 2 },
  /**
   * Wrong codes at sign-ins in a day, of which the owner is not told where they end no sign-in: people mistype them.
   * The account is the id of the user.
   */
  mistypedCode: { perAccount: 5, window: 24 * HOUR },
  /**
   * Mails about wrong codes of a second factor, apart from `resetMail`, so that whoever guesses keeps the owner from no
   * link. The account is the id of the user.
   */
  guessMail: { perAccount: 3, window: HOUR / 2 },
  /** Mails about another password of an account: an administrator sets as many as they like. The account is its id. */
  passwordMail: { perAccount: 3, window: HOUR / 2 },
  /**
   * Links that are unknown or have expired: one that is good works even beyond the limit. Links that prove an address
   * count here too.
   */
  resetPassword: { perNetwork: 20, window: HOUR },
  /**
   * Changes of one's password: each computes two hashes. The account is the id of the session, so that a stolen session
   * keeps its owner from nothing that another sign-in does not give back.
   */
  newPassword: { perAccount: 20, window: HOUR },
  /** Links that a signed-in user has mailed to prove an address. The account is the id of the user. */
  addressMail: { perAccount: 5, window: HOUR },
  /**
   * Failures only: user names and addresses that a signed-in user asks for and others have. Each tells that there is
   * such an account. The account is the id of the user.
   */
  takenName: { perAccount: 20, window: HOUR },
  /** Invitations and reminders that are mailed in the name of a user. The account is the id of the user. */
  noticeMail: { perAccount: 100, window: HOUR },
  /** Tests that are sent to a webhook. The account is the id of the user. */
  webhookTest: { perAccount: 30, window: MINUTE },
  /** Exports of a person's data: each reads all of it. The account is the id of the user who asks. */
  personalData: { perAccount: 20, window: HOUR },
  /** Exports of lists, and imports: each may read or write a hundred thousand records. The account is the caller's id. */
  transfer: { perAccount: 60, window: HOUR },
  /** Backups that are begun: each takes the place of an older one. The account is the caller's id. */
  backup: { perAccount: 20, window: HOUR },
  /** Exchanges of right refresh tokens. The account is the id of the session, which is renewed every few minutes. */
  rotation: { perAccount: 60, window: MINUTE },
  /** Failures only: a right refresh token works even beyond the limit. */
  refresh: { perNetwork: 60, window: MINUTE },
  /** Snippets shared by callers without an account, by the minute and by the day; `ownShare` is for those with one. */
  share: { perNetwork: 30, window: MINUTE },
  shareByDay: { perNetwork: 200, window: 24 * HOUR },
  ownShare: { perAccount: 120, window: MINUTE },
  /** Every 32 KiB of a source that are begun count as one hit, because longer sources take longer to convert. */
  markdown: { perNetwork: 60, window: MINUTE },
  ownMarkdown: { perAccount: 240, window: MINUTE },
  /** Views of the pages of snippets, whoever looks. */
  snippetPage: { perNetwork: 300, window: MINUTE },
} as const satisfies Record<string, RateLimit>;

export type RateLimitName = keyof typeof rateLimits;
