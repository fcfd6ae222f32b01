// Recording what was sold on a day.
import { recordSales } from "../../../client/mod.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { DateField, TextField } from "../../parts/field.tsx";
import { Form, FormActions, useForm } from "../../parts/form.tsx";
import { refresh } from "../../state/query.ts";
import { toast } from "../../state/toasts.ts";
import { texts } from "./texts.ts";

const FORM = "record-sales";

const isAmount = (text: string) => text.trim() !== "" && Number(text) >= 0;

export function RecordSales({ onClose }: { onClose: () => void }) {
  const said = texts();
  const form = useForm({
    // Months and days of sales are those of UTC.
    initial: { date: new Date().toISOString().slice(0, 10), amount: "", orders: "1", cost: "0" },
    check: ({ date, amount, orders, cost }) => ({
      date: date ? undefined : said.dateExpected,
      amount: isAmount(amount) ? undefined : said.numberExpected,
      orders: isAmount(orders) && Number.isInteger(Number(orders)) ? undefined : said.wholeExpected,
      cost: isAmount(cost) ? undefined : said.numberExpected,
    }),
    async submit({ date, amount, orders, cost }) {
      const body = { date, amount: Number(amount), orders: Number(orders), cost: Number(cost) };
      await recordSales({ body });
      refresh("dashboard");
      toast({ text: texts().recorded });
      onClose();
    },
  });
  return (
    <Dialog
      open
      size="s"
      title={said.record}
      text={said.recordText}
      onClose={onClose}
      footer={<FormActions form={form} for={FORM} onCancel={onClose} />}
    >
      <Form form={form} id={FORM} label={said.record}>
        <DateField {...form.field("date")} label={said.date} required />
        <TextField
          {...form.field("amount")}
          label={said.amount}
          inputMode="decimal"
          required
          autofocus
          autocomplete="off"
        />
        <div class="columns pair">
          <TextField
            {...form.field("orders")}
            label={said.orders}
            inputMode="numeric"
            autocomplete="off"
          />
          <TextField
            {...form.field("cost")}
            label={said.cost}
            inputMode="decimal"
            autocomplete="off"
          />
        </div>
      </Form>
    </Dialog>
  );
}
