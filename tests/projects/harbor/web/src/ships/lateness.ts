import type { Clock } from "../time/clock";

/** By how many minutes a ship is late; 0 when it is in time. */
export function minutesLate(eta: string, clock: Clock): number {
  const late = clock.now() - new Date(eta).getTime();
  return Math.max(0, Math.round(late / 60_000));
}
