import { logger } from "../log/logger";

/** What the API answers to. A route that is not listed does not compile. */
export type Route = "/ships" | "/berths" | `/ships/${string}` | `/berths/${string}`;

/** The one error of a request, whatever went wrong on the way. */
export class ApiError extends Error {
  constructor(readonly route: Route, readonly status: number, readonly trace: string) {
    super(`${route}: ${status}`);
  }
}

/** The only place in the web app that knows `fetch`. */
export const apiClient = {
  async request<T>(route: Route, init?: RequestInit): Promise<T> {
    const trace = crypto.randomUUID();
    const headers = { ...init?.headers, "X-Trace-Id": trace };
    const reply = await fetch(route, { ...init, headers, credentials: "include" });
    if (!reply.ok) {
      logger.warn("request failed", route, reply.status, trace);
      throw new ApiError(route, reply.status, trace);
    }
    return (await reply.json()) as T;
  },
};
