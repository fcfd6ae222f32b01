// The demo's events around today, with attendees and reminders, and its tasks.
import { attendees, type Event, events, reminders } from "../../models/calendar.ts";
import { type Task, tasks } from "../../models/dashboard.ts";
import type { People } from "./people.ts";
import { type World } from "./world.ts";
import { DAY, HOUR, MINUTE } from "../../core/units.ts";

interface Sketch extends Pick<Event, "title" | "type"> {
  /** Days from today. */
  readonly day: number;
  /** The hour of the day in UTC at which it starts; absent for a whole day. */
  readonly hour?: number;
  /** How many hours it takes. @default 1 */
  readonly hours?: number;
  readonly location?: string;
}

const SKETCHES: readonly Sketch[] = [
  { title: "Quarter review", type: "meeting", day: -6, hour: 13, hours: 2, location: "Room Elbe" },
  { title: "Interview", type: "meeting", day: -3, hour: 9.5, location: "Room Rhine" },
  { title: "Send the report", type: "task", day: -1, hour: 15 },
  { title: "Stand-up", type: "meeting", day: 0, hour: 9, hours: 0.25, location: "Online" },
  { title: "Design review", type: "meeting", day: 0, hour: 11.5, location: "Room Elbe" },
  { title: "Call the supplier", type: "reminder", day: 0, hour: 14, hours: 0.5 },
  { title: "Release", type: "task", day: 0, hour: 16, hours: 1.5 },
  { title: "Office closed for maintenance", type: "holiday", day: 0 },
  { title: "Stand-up", type: "meeting", day: 1, hour: 9, hours: 0.25, location: "Online" },
  { title: "Customer visit", type: "meeting", day: 1, hour: 13, hours: 3, location: "Lobby" },
  { title: "Pay the invoices", type: "reminder", day: 2, hour: 10 },
  { title: "Planning", type: "meeting", day: 3, hour: 9, hours: 2, location: "Room Rhine" },
  { title: "Training", type: "meeting", day: 5, hour: 13, hours: 3 },
  { title: "Founders' day", type: "holiday", day: 6 },
  { title: "Summer party", type: "meeting", day: 12, hour: 16, hours: 5, location: "Garden" },
];

const COLORS: Readonly<Record<Event["type"], string>> = {
  meeting: "#4e79a7",
  task: "#59a14f",
  reminder: "#f28e2b",
  holiday: "#b07aa1",
};

const ANSWERS = ["accepted", "pending", "tentative", "declined"] as const;

export function addAgenda(world: World, people: People): void {
  const { admin, user } = people.accounts;
  const hosts = [
    user,
    admin,
    ...people.chief ? [people.chief] : [],
    ...people.colleagues.slice(0, 2),
  ];
  SKETCHES.forEach((sketch, index) =>
    addEvent(world, people, sketch, hosts[index % hosts.length]!.id, index)
  );
  addTasks(world, people);
}

function addEvent(
  world: World,
  people: People,
  sketch: Sketch,
  ownerId: string,
  index: number,
): void {
  const { title, type, day, hour, hours = 1, location } = sketch;
  const start = world.midnight(day) + (hour ?? 0) * HOUR;
  const at = Math.min(start, world.now) - (10 + index) * DAY;
  const event = world.add(events, at, {
    title,
    description: type === "meeting" ? "Please read the notes before." : undefined,
    start: world.iso(start),
    end: world.iso(hour === undefined ? start + DAY - 1 : start + hours * HOUR),
    type,
    color: COLORS[type],
    allDay: hour === undefined,
    location,
    ownerId,
  });
  const others = [...people.protagonists, ...people.colleagues.slice(index, index + 2)].filter((
    { id },
  ) => id !== ownerId);
  others.forEach(({ id: userId }, n) => {
    const isProtagonist = n < others.length - 2;
    const status = isProtagonist ? ANSWERS[(index + n) % 3]! : ANSWERS[(index + n) % 4]!;
    world.add(attendees, at + HOUR, { eventId: event.id, userId, status });
  });
  addReminder(world, event.id, ownerId, start);
}

/** Adds a reminder half an hour before the start; one whose time is past counts as fired. */
function addReminder(world: World, eventId: string, userId: string, start: number): void {
  const remindAt = start - 30 * MINUTE;
  world.add(reminders, world.now - 9 * DAY, {
    eventId,
    userId,
    remindAt: world.iso(remindAt),
    minutesBefore: 30,
    method: "notification",
    firedAt: remindAt <= world.now ? world.iso(remindAt) : undefined,
  });
}

const TASKS: readonly [
  title: string,
  status: Task["status"],
  priority: Task["priority"],
  due: number,
][] = [
  ["Review the access rights", "pending", "high", 2],
  ["Renew the certificate", "pending", "urgent", 1],
  ["Answer the auditors", "in_progress", "high", 3],
  ["Write the release notes", "in_progress", "medium", 0],
  ["Order new chairs", "pending", "low", 14],
  ["Clean up old branches", "pending", "low", 10],
  ["Interview two candidates", "in_progress", "medium", 5],
  ["Plan the summer party", "pending", "medium", 12],
  ["Update the price list", "done", "medium", -2],
  ["Close the quarter", "done", "urgent", -6],
  ["Archive the old contracts", "done", "low", -9],
  ["Call the supplier", "pending", "high", 0],
];

function addTasks(world: World, people: People): void {
  const { admin, user } = people.accounts;
  const assignees = [user, admin, ...people.colleagues.slice(0, 4)];
  TASKS.forEach(([title, status, priority, due], index) => {
    world.add(tasks, world.now - (20 - index) * DAY - 3 * HOUR, {
      title,
      status,
      priority,
      dueDate: world.iso(world.midnight(due) + 17 * HOUR),
      assigneeId: assignees[index % assignees.length]!.id,
      createdBy: admin.id,
    });
  });
}
