// The texts of the mails: what they say, and that names and titles cannot do more than be read.
import assert from "node:assert/strict";
import type { Mail } from "../../services/mailer.ts";
import {
  eventInvitationMail,
  eventReminderMail,
  invitationMail,
  passwordResetMail,
} from "../../services/mails.ts";

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
  assert.equal(reminder.subject, "Reminder: Launch");
  assert.match(
    reminder.text,
    /When: Saturday,? 21 November 2026 at 14:00 UTC to Saturday,? 21 November 2026 at 15:30 UTC\n/,
  );
  assert.match(reminder.text, /Where: Bridge\n/);

  const invitation = eventInvitationMail(ADA, EVENT, { name: "Grace" });
  assert.equal(invitation.subject, "Invitation: Launch");
  assert.match(invitation.text, /Grace invites you:/);

  const day = eventReminderMail(ADA, { ...EVENT, allDay: true, location: undefined });
  assert.match(day.text, /When: Saturday,? 21 November 2026\n/);
  assert.doesNotMatch(day.text, /Where|UTC/);
});

Deno.test("names and titles are escaped, and stay on their line", () => {
  const nasty = "<b>\"x\"&'y'</b>\r\nBcc: eve@example.com\u2028";
  const user = { ...ADA, name: nasty };
  const event = { ...EVENT, title: nasty, location: nasty };
  const mails: Mail[] = [
    passwordResetMail(user, LINK),
    invitationMail(user, LINK),
    eventReminderMail(user, event),
    eventInvitationMail(user, event, { name: nasty }),
  ];
  for (const mail of mails) {
    // deno-lint-ignore no-control-regex
    assert.doesNotMatch(mail.subject, /[\u0000-\u001f\u2028]/);
    assert.doesNotMatch(mail.html ?? "", /<b>|\r/);
    assert.match(mail.html ?? "", /&lt;b&gt;&quot;x&quot;&amp;&#39;y&#39;&lt;\/b&gt; Bcc:/);
    assert.doesNotMatch(mail.text, /^Bcc:/m);
  }
});
