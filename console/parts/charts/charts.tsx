// All charts, from one place.
export { BarChart, type BarChartProps } from "./bar_chart.tsx";
export { ChartCsv } from "./chart_frame.tsx";
export type { ChartData, Series } from "./data.ts";
export { DonutChart, type DonutChartProps, type Slice } from "./donut_chart.tsx";
export { LineChart, type LineChartProps } from "./line_chart.tsx";
export { Sparkline } from "./sparkline.tsx";
export { Change, StatTile, type StatTileProps } from "./stat_tile.tsx";
export { TimeSeries, type TimeSeriesProps } from "./time_series.tsx";
