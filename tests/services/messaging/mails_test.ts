// The texts of the mails: what they say, and that names and titles cannot do more than be read.
import assert from "node:assert/strict";
import type { Mail } from "../../../services/messaging/mailer.ts";
import {
  addressChangeAskedMail,
  addressChangedMail,
  addressInUseMail,
  eventInvitationMail,
  eventReminderMail,
  invitationMail,
  newAddressMail,
  passwordResetMail,
  verificationMail,
} from "../../../services/messaging/mails.ts";

const ADA = { name: "Ada", email: "ada@example.com" };
const LINK = "https://admin.example.com/reset-password?token=a&b";
const EVENT = {
  title: "Launch",
  start: "2026-11-21T14:00:00.000Z",
  end: "2026-11-21T15:30:00.000Z",
  allDay: false,
  location: "Bridge",
};

Deno.test("links: whole in the text, escaped in the HTML", () => {
  for (const mail of [passwordResetMail(ADA, LINK), invitationMail(ADA, LINK)]) {
    assert.equal(mail.to, ADA.email);
    assert.ok(mail.text.split("\n").includes(LINK), mail.text);
    assert.ok(mail.html?.includes(`href="${LINK.replace("&", "&amp;")}"`), mail.html);
    assert.match(mail.text, /^Hello Ada,\n/);
  }
  assert.equal(passwordResetMail(ADA, LINK).subject, "Reset your password");
  assert.match(invitationMail(ADA, LINK).text, /ada@example\.com/);
});

Deno.test("events: what, when and where", () => {
  const reminder = eventReminderMail(ADA, EVENT);
  assert.equal(reminder.subject, "Reminder of an event");
  assert.match(reminder.text, /^> Launch\n/m);
  assert.match(
    reminder.text,
    /When: Saturday,? 21 November 2026 at 14:00 UTC to Saturday,? 21 November 2026 at 15:30 UTC\n/,
  );
  assert.match(reminder.text, /Where: Bridge\n/);

  const invitation = eventInvitationMail(ADA, EVENT, { name: "Grace" });
  assert.equal(invitation.subject, "Invitation to an event");
  assert.match(invitation.text, /\n\n> Launch\n> When: .*\n> Where: Bridge\n> From: Grace\n/);

  const day = eventReminderMail(ADA, { ...EVENT, allDay: true, location: undefined });
  assert.match(day.text, /When: Saturday,? 21 November 2026\n/);
  assert.doesNotMatch(day.text, /Where|UTC/);
});

const NASTY = "<b>\"x\"&'y'</b>\r\nBcc: eve@example.com\u2028https://evil.example";

Deno.test("names and titles are escaped, stay on their line and out of the subject", () => {
  const user = { ...ADA, name: NASTY };
  const event = { ...EVENT, title: NASTY, location: NASTY };
  const mails: Mail[] = [
    passwordResetMail(user, LINK),
    invitationMail(user, LINK),
    eventReminderMail(user, event),
    eventInvitationMail(user, event, { name: NASTY }),
    addressChangeAskedMail(user, NASTY),
    addressChangedMail(user, NASTY),
  ];
  for (const mail of mails) {
    // deno-lint-ignore no-control-regex
    assert.doesNotMatch(mail.subject, /[\u0000-\u001f\u2028]|evil|<b>/);
    assert.doesNotMatch(mail.html ?? "", /<b>|\r/);
    assert.match(mail.html ?? "", /&lt;b&gt;&quot;x&quot;&amp;&#39;y&#39;&lt;\/b&gt; Bcc:/);
    assert.doesNotMatch(mail.text, /^Bcc:/m);
  }
});

Deno.test("what others wrote is quoted, each line of it", () => {
  const event = { ...EVENT, title: NASTY, location: NASTY };
  for (
    const mail of [
      eventReminderMail(ADA, event),
      eventInvitationMail(ADA, event, { name: NASTY }),
      addressChangeAskedMail(ADA, NASTY),
      addressChangedMail(ADA, NASTY),
    ]
  ) {
    const lines = mail.text.split("\n").filter((line) => line.includes("evil.example"));
    assert.ok(lines.length > 0 && lines.every((line) => line.startsWith("> ")), mail.text);
    const unquoted = mail.html!.replace(/<blockquote>[^]*?<\/blockquote>/g, "");
    assert.doesNotMatch(unquoted, /evil/);
  }
});

Deno.test("mails to an address that is not proven do not name whoever claimed it", () => {
  const stranger = { ...ADA, name: NASTY, unverifiedSince: "2026-11-21T10:00:00.000Z" };
  const mails = [
    verificationMail(stranger, LINK),
    passwordResetMail(stranger, LINK),
    addressInUseMail(stranger),
    newAddressMail("new@example.com", LINK),
  ];
  for (const mail of mails) {
    assert.match(mail.text, /^Hello,\n/);
    assert.doesNotMatch(mail.text + mail.html + mail.subject, /evil/);
  }
  assert.equal(mails[3]!.to, "new@example.com");
  assert.ok(mails[0]!.text.split("\n").includes(LINK));
});
