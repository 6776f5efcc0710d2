import { logger } from "../log/logger";

export class ApiError extends Error {}

/** The only place in the web app that knows `fetch`. */
export const apiClient = {
  async request<T>(path: string, init?: RequestInit): Promise<T> {
    const reply = await fetch(path, { ...init, credentials: "include" });
    if (!reply.ok) {
      logger.warn("request failed", path, reply.status);
      throw new ApiError(`${path}: ${reply.status}`);
    }
    return (await reply.json()) as T;
  },
};
