// What may be wrong with a request as a whole, whatever it is about: the code of each error, in English and Chinese.
import type { Texts } from "./texts.ts";

export const requestTexts = {
  not_accepted: [
    "Cannot accept the request: {field}: {problem}",
    "无法接受请求：{field}：{problem}",
  ],
  request_not_valid: ["The request is not valid", "请求无效"],
  sign_in_first: [
    "Sign in first: the access token is missing, invalid or expired",
    "请先登录：访问令牌缺失、无效或已过期",
  ],
  no_permission: ["You do not have the permission for this", "您没有执行此操作的权限"],
  prove_yourself: [
    "Prove first who you are: give your password or a code to POST /auth/step-up",
    "请先验证身份：向 POST /auth/step-up 提供密码或验证码",
  ],
  second_factor_needed: [
    "Your role asks for a second factor: set one up first, or sign in with it",
    "您的角色要求第二因素：请先设置，或使用它登录",
  ],
  no_such: ["There is no such {what}", "没有这样的{what}"],
  nothing_here: ["There is nothing at this path", "此路径下没有内容"],
  method_not_taken: ["This path does not take this method", "此路径不支持该方法"],
  too_slow: ["The request body took too long to arrive", "请求正文传输时间过长"],
  in_conflict: ["The request conflicts with what is stored", "请求与已存储的数据冲突"],
  changed_since: ["The record has changed since you read it", "该记录在您读取之后已被修改"],
  tag_unquoted: [
    "If-Match names no ETag: send it with its quotes",
    "If-Match 未包含 ETag：请连同引号一起发送",
  ],
  ruled_out: [
    "If-None-Match rules this record out: it is there, in that version",
    "If-None-Match 排除了该记录：它已存在，且正是该版本",
  ],
  body_too_large: ["The request body is too large", "请求正文过大"],
  body_over_limit: ["The request body is over {limit} bytes", "请求正文超过 {limit} 字节"],
  type_not_accepted: ["This content type is not accepted", "不接受此内容类型"],
  outside_file: ["The range is outside the file", "范围超出文件"],
  outside_file_of: ["The range is outside the file of {size} bytes", "范围超出 {size} 字节的文件"],
  key_reused: [
    "This Idempotency-Key was used for a different request",
    "此 Idempotency-Key 已用于另一个请求",
  ],
  key_running: [
    "A request with this Idempotency-Key is still running",
    "使用此 Idempotency-Key 的请求仍在执行",
  ],
  key_answer_lost: [
    "The request with this Idempotency-Key is done, but its answer is lost",
    "使用此 Idempotency-Key 的请求已完成，但其响应已丢失",
  ],
  key_outcome_gone: [
    "The request with this Idempotency-Key is done; what it made is gone since",
    "使用此 Idempotency-Key 的请求已完成；其创建的内容此后已不存在",
  ],
  too_many_requests: ["Too many requests: try again later", "请求过多：请稍后再试"],
  server_failed: ["Something went wrong on the server", "服务器出错"],
  store_full: [
    "The disk of the data store is full: nothing can be written until there is room",
    "数据存储的磁盘已满：腾出空间之前无法写入",
  ],
  store_unreachable: [
    "The data store cannot be reached: try again shortly",
    "无法连接数据存储：请稍后重试",
  ],
  stopping: ["The server is stopping: try again shortly", "服务器正在停止：请稍后重试"],
  too_much_arriving: [
    "Too much is being sent to the server: try again shortly",
    "发送到服务器的数据过多：请稍后重试",
  ],
  not_json_type: [
    "Expected application/json, received '{type}'",
    "需要 application/json，收到“{type}”",
  ],
  body_not_json: [
    "Cannot parse the request body: it is not valid JSON",
    "无法解析请求正文：不是有效的 JSON",
  ],
  too_many_values: [
    "Cannot parse the request body: it holds more than {most} values",
    "无法解析请求正文：值超过 {most} 个",
  ],
  not_utf8: ["Cannot read the request body: it is not UTF-8", "无法读取请求正文：不是 UTF-8"],
  body_cut_off: [
    "Cannot read the request body: the connection ended before it did",
    "无法读取请求正文：连接提前结束",
  ],
  bad_text: [
    "Cannot accept the request body: a text in it holds NUL or broken Unicode",
    "无法接受请求正文：其中的文本包含 NUL 或损坏的 Unicode",
  ],
  no_host: ["The Host header names no host", "Host 头没有指定主机"],
  foreign_site: [
    "Cannot accept the request: it comes from another site",
    "无法接受请求：它来自另一个站点",
  ],
  form_not_read: ["Cannot read the form: {problem}", "无法读取表单：{problem}"],
  form_of_page: ["Expected the form of a page", "需要页面表单"],
  form_not_multipart: [
    "expected multipart/form-data, received '{type}'",
    "需要 multipart/form-data，收到“{type}”",
  ],
  form_untyped: ["no content type", "没有内容类型"],
  form_many_fields: ["it has more than {most} fields", "字段超过 {most} 个"],
  form_many_parts: ["it has more than {most} parts", "部分超过 {most} 个"],
  form_empty: ["it is empty", "内容为空"],
  form_incomplete: ["its parts are not complete", "各部分不完整"],
  form_cut_off: ["the connection ended before it did", "连接提前结束"],
  file_cut_off: ["the file is cut off", "文件被截断"],
  no_file_part: [
    "Cannot take the upload: it has no part 'file'",
    "无法接收上传：缺少名为“file”的部分",
  ],
  two_file_parts: [
    "Cannot take the upload: it has more than one part 'file'",
    "无法接收上传：有多个名为“file”的部分",
  ],
  empty_file: ["Cannot take the upload: the file is empty", "无法接收上传：文件为空"],
  file_over_limit: [
    "Cannot take the file: it is over {limit} bytes",
    "无法接收文件：超过 {limit} 字节",
  ],
  file_gone: ["The file was deleted", "文件已被删除"],
  same_exists: ["Another record has the same {key}", "另一条记录具有相同的 {key}"],
  changed_meanwhile: [
    "The record was changed by others at the same time: try again",
    "该记录同时被他人修改：请重试",
  ],
  reference_gone: ["A record that this one refers to is gone", "此记录引用的记录已不存在"],
  cannot_compare: [
    "Cannot compare {field}: '{value}' is no ISO 8601 time",
    "无法比较 {field}：“{value}”不是 ISO 8601 时间",
  ],
  value_unfit: ["Cannot use a value: it does not fit its column", "无法使用该值：与其列不符"],
  over_limit: [
    "Cannot store {what}: it is over {limit} bytes",
    "无法存储 {what}：超过 {limit} 字节",
  ],
  batch_part_failed: ["Another part of the batch has failed", "批处理的另一部分失败"],
  batch_too_large: [
    "The operations change more than {most} records together: send them in several batches",
    "这些操作共修改超过 {most} 条记录：请分多批发送",
  ],
  batch_answers_long: [
    "The answers of the batch are over {most} characters: ask for this one alone",
    "批处理的响应超过 {most} 个字符：请单独请求此项",
  ],
  batch_no_body: ["a GET has none", "GET 没有正文"],
  batch_no_field: ["an operation takes no {name}", "操作不接受 {name}"],
  batch_not_json: [
    "gives no JSON, and so takes a request of its own",
    "不返回 JSON，因此需要单独请求",
  ],
  batch_secret: [
    "gives what is never kept, and so takes a request of its own",
    "返回从不保留的内容，因此需要单独请求",
  ],
  batch_in_batch: ["is a batch itself", "本身就是批处理"],
  batch_no_path: [
    "is no path of the API that takes this method",
    "不是支持此方法的 API 路径",
  ],
  batch_upload: ["takes a file, and so a request of its own", "需要文件，因此需要单独请求"],
  batch_not_atomic: [
    "takes a request of its own, or a batch that is not atomic",
    "需要单独请求，或非原子的批处理",
  ],
  batch_reference: [
    "refers to '{name}', which makes no record before it",
    "引用了“{name}”，但它在此之前没有创建记录",
  ],
  batch_made_nothing: [
    "An operation that another one refers to has made no record",
    "被其他操作引用的操作没有创建记录",
  ],
  batch_nothing_to_name: [
    "'{name}' has made no record to refer to",
    "“{name}”没有创建可引用的记录",
  ],
  api_key_only: [
    "This takes an API key: Authorization: Bearer qd_…",
    "此处需要 API 密钥：Authorization: Bearer qd_…",
  ],
  batch_key: ["the batch itself takes the Idempotency-Key", "Idempotency-Key 应用于批处理本身"],
  body_encoded: [
    "Send the body as it is, not encoded as '{coding}'",
    "请直接发送正文，不要使用“{coding}”编码",
  ],
  batch_same_id: ["is that of an earlier operation", "与之前操作的 id 相同"],
  not_csv_type: ["Expected text/csv, received '{type}'", "需要 text/csv，收到“{type}”"],
  csv_not_read: ["Cannot read the CSV: {problem}", "无法读取 CSV：{problem}"],
  csv_empty: [
    "is empty: the first row names the columns",
    "为空：第一行应为列名",
  ],
  csv_many_rows: ["an import has at most {most} rows", "一次导入最多 {most} 行"],
  csv_no_column: [
    "the first row names none of the columns {columns}",
    "第一行没有以下任何列：{columns}",
  ],
  csv_width: [
    "a row of an import has at most {most} cells",
    "导入的每一行最多 {most} 个单元格",
  ],
  csv_cells: [
    "has {given} cells, the first row has {wanted}",
    "有 {given} 个单元格，而第一行有 {wanted} 个",
  ],
  csv_column_twice: ["the column {name} is there twice", "列 {name} 出现了两次"],
  csv_password: [
    "passwords are not imported: whoever is imported sets their own",
    "不导入密码：被导入的人自行设置密码",
  ],
  csv_nothing_imported: [
    "Nothing is imported (errors: {errors}, rows: {rows})",
    "未导入任何内容：{rows} 行中有 {errors} 个错误",
  ],
  form_not_valid: ["Some fields are missing or not valid", "某些字段缺失或无效"],
  no_event_id: [
    "is no id of an event of this server: leave it out, or begin with 'earliest'",
    "不是此服务器的事件 id：请省略，或以“earliest”开始",
  ],
  none_of: ["'{name}' is none of {known}", "“{name}”不是以下任何一个：{known}"],
  streams_all: [
    "There are as many event streams as this server keeps: try again later",
    "事件流已达到此服务器的上限：请稍后重试",
  ],
  streams_many: [
    "You have {most} event streams open, which is as many as one user may",
    "您已打开 {most} 个事件流，达到每位用户的上限",
  ],
} as const satisfies Texts;
