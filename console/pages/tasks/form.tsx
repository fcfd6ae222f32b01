// Creating a task, and changing one beside what others may do to it at the same time.
import { createTask, type Task, updateTask } from "../../../client/mod.ts";
import { ConflictDialog, useVersionedForm, type Versioned } from "../../parts/conflict.tsx";
import { Drawer } from "../../parts/drawer.tsx";
import { DateTimeField, PersonPicker, RadioGroup, Select, TextField } from "../../parts/field.tsx";
import { Form, FormActions, type FormState, useForm } from "../../parts/form.tsx";
import { readTask } from "../../parts/move_task.ts";
import { Time } from "../../parts/time.tsx";
import type { PersonFound } from "../../state/people.ts";
import { refresh } from "../../state/query.ts";
import {
  findAssignees,
  TASK_PRIORITIES,
  TASK_STATUSES,
  type TaskPriority,
  type TaskStatus,
  taskTexts,
} from "../../state/tasks.ts";
import { toast } from "../../state/toasts.ts";
import { changesOf, type TaskValues, valuesOf } from "./values.ts";
import { texts } from "./texts.ts";

const FORM = "task-form";

const check = ({ title }: TaskValues) => ({ title: title.trim() ? undefined : texts().required });

export function CreateTask(
  { status, onClose }: { readonly status: TaskStatus; readonly onClose: () => void },
) {
  const said = texts();
  const form = useForm<TaskValues>({
    initial: { ...valuesOf(null), status },
    check,
    async submit(values) {
      const body = { ...changesOf(values, valuesOf(null)), title: values.title };
      const { data } = await createTask({ body });
      toast({ text: texts().created(data.title) });
      refresh("tasks", "dashboard");
      onClose();
    },
  });
  return (
    <Drawer
      open
      title={said.create}
      onClose={onClose}
      footer={<FormActions form={form} for={FORM} label={said.submit} onCancel={onClose} />}
    >
      <Fields form={form} label={said.create} />
    </Drawer>
  );
}

export function EditTask(
  { record, onClose }: { readonly record: Versioned<Task>; readonly onClose: () => void },
) {
  const said = texts();
  const { statuses, priorities } = taskTexts();
  const { id } = record.data;
  const edited = useVersionedForm<Task, TaskValues>({
    record,
    valuesOf,
    check,
    read: () => readTask(id),
    async save(values, etag, before) {
      const body = changesOf(values, valuesOf(before));
      await updateTask({ path: { id }, body, headers: { "If-Match": etag } });
      toast({ text: texts().saved });
      refresh("tasks", "dashboard");
      onClose();
    },
  });
  return (
    <Drawer
      open
      title={said.editTitle}
      onClose={onClose}
      footer={<FormActions form={edited.form} for={FORM} whenDirty onCancel={onClose} />}
    >
      <Fields form={edited.form} label={said.editTitle} />
      <ConflictDialog
        edited={edited}
        fields={[
          { name: "title", label: said.task },
          { name: "status", label: said.status, show: (_, { status }) => statuses[status] },
          {
            name: "priority",
            label: said.priority,
            show: (_, { priority }) => priorities[priority],
          },
          {
            name: "assignee",
            label: said.assignee,
            show: (_, { assignee: [person] }) => person?.label ?? said.nobody,
          },
          {
            name: "dueDate",
            label: said.due,
            show: (_, { dueDate }) => dueDate ? <Time at={dueDate} style="dateTime" /> : "–",
          },
        ]}
      />
    </Drawer>
  );
}

function Fields(
  { form, label }: { readonly form: FormState<TaskValues>; readonly label: string },
) {
  const said = texts();
  const { statuses, priorities } = taskTexts();
  const assignee = form.field("assignee");
  return (
    <Form form={form} id={FORM} label={label}>
      <TextField
        {...form.field("title")}
        label={said.task}
        required
        autofocus
        autocomplete="off"
      />
      <RadioGroup<TaskStatus>
        {...form.field("status")}
        label={said.status}
        segmented
        options={TASK_STATUSES.map((value) => ({ value, label: statuses[value] }))}
      />
      <Select<TaskPriority>
        {...form.field("priority")}
        label={said.priority}
        options={TASK_PRIORITIES.map((value) => ({ value, label: priorities[value] }))}
      />
      <PersonPicker
        name="assigneeId"
        label={said.assignee}
        hint={said.assigneeHint}
        load={findAssignees}
        value={assignee.value}
        onChange={(people) => assignee.onChange(people as readonly PersonFound[])}
        error={assignee.error ?? form.errors.value.fields.assigneeId}
      />
      <DateTimeField {...form.field("dueDate")} label={said.due} />
    </Form>
  );
}
