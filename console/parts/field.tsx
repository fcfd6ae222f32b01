// All fields, from one place.
export {
  type ControlProps,
  Field,
  type FieldCommon,
  type FieldProps,
  Fieldset,
} from "./field_frame.tsx";
export {
  PasswordField,
  type PasswordFieldProps,
  TextArea,
  type TextAreaProps,
  TextField,
  type TextFieldProps,
  type Valued,
} from "./text_field.tsx";
export {
  CheckBox,
  Checkbox,
  type CheckboxProps,
  type Choice,
  RadioGroup,
  type RadioGroupProps,
  Select,
  type SelectProps,
  Switch,
} from "./choice_fields.tsx";
export {
  DateField,
  type DateFieldProps,
  DateTimeField,
  type DateTimeFieldProps,
} from "./date_fields.tsx";
export { SearchField, type SearchFieldProps } from "./search_field.tsx";
export {
  Chip,
  Combobox,
  type ComboboxProps,
  type PersonChoice,
  PersonPicker,
} from "./combobox.tsx";
export { TagsField, type TagsFieldProps } from "./tags_field.tsx";
