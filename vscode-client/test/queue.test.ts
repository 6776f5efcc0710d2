import assert from "node:assert/strict";
import { suite, test } from "node:test";

import { CoalescingQueue } from "../src/queue.ts";

/** A task whose runs are ended by hand. */
function controlled() {
  const open: { end: () => void; fail: (error: Error) => void }[] = [];
  let active = 0;
  const record = { started: 0, mostAtOnce: 0 };
  const queue = new CoalescingQueue(async () => {
    record.started += 1;
    active += 1;
    record.mostAtOnce = Math.max(record.mostAtOnce, active);
    try {
      await new Promise<void>((resolve, reject) => {
        open.push({ end: resolve, fail: reject });
      });
    } finally {
      active -= 1;
    }
  });
  const next = () => {
    const run = open.shift();
    assert.ok(run, "a run is under way");
    return run;
  };
  return { queue, record, next };
}

suite("restarts", () => {
  test("one request is one run", async () => {
    const { queue, record, next } = controlled();
    const done = queue.run();
    next().end();
    await done;
    assert.deepEqual(record, { started: 1, mostAtOnce: 1 });
  });

  test("a burst of requests is at most two runs, never two at once", async () => {
    const { queue, record, next } = controlled();
    const runs = Array.from({ length: 20 }, () => queue.run());
    next().end();
    await runs[0];
    while (record.started < 2) {
      await Promise.resolve();
    }
    next().end();
    await Promise.all(runs);
    assert.deepEqual(record, { started: 2, mostAtOnce: 1 });
  });

  test("a request made by the end of another run does not overtake the waiting one", async () => {
    const { queue, record, next } = controlled();
    const first = queue.run();
    const third = first.then(() => queue.run());
    const second = queue.run();
    next().end();
    await first;
    while (record.started < 2) {
      await Promise.resolve();
    }
    next().end();
    await second;
    while (record.started < 2) {
      await Promise.resolve();
    }
    assert.equal(record.mostAtOnce, 1);
    if (record.started === 3) {
      next().end();
    }
    await third;
    assert.equal(record.mostAtOnce, 1);
  });

  test("a run that fails does not stop the next one", async () => {
    const { queue, record, next } = controlled();
    const first = queue.run();
    const second = queue.run();
    next().fail(new Error("no binary"));
    await assert.rejects(first, /no binary/u);
    while (record.started < 2) {
      await Promise.resolve();
    }
    next().end();
    await second;
    assert.equal(record.started, 2);
  });
});
