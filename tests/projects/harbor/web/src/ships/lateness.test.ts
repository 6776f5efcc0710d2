import { expect, test } from "vitest";
import type { Clock } from "../time/clock";
import { minutesLate } from "./lateness";

const at = (time: string): Clock => ({ now: () => Date.parse(time) });

test("a ship that comes after midnight is late by minutes, not by days", () => {
  const clock = at("2025-03-31T00:10:00Z");
  expect(minutesLate("2025-03-30T23:50:00Z", clock)).toBe(20);
});
