use std::thread;
use std::time::Duration;

const FIRST_WAIT: Duration = Duration::from_millis(200);
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// Sends again what failed, waits longer each time, and gives up.
pub struct RetryQueue {
    attempts: u32,
}

impl RetryQueue {
    pub const fn new(attempts: u32) -> Self {
        Self { attempts }
    }

    pub fn push(&self, request: &Request) -> Result<Reply, Error> {
        let mut result = send(request);
        for turn in 1..self.attempts {
            if result.as_ref().is_ok_and(Reply::is_final) {
                break;
            }
            pause(turn);
            result = send(request);
        }
        result
    }
}

/// Twice as long at each turn, with jitter, so that clients do not come back
/// all at once.
fn pause(turn: u32) {
    let wait = LONGEST_WAIT.min(FIRST_WAIT * 2_u32.saturating_pow(turn));
    thread::sleep(wait.mul_f64(jitter()));
}

/// The old way, still used by the tide importer.
pub fn send_until_it_works(request: &Request) -> Reply {
    loop {
        if let Ok(reply) = send(request) {
            return reply;
        }
        thread::sleep(Duration::from_secs(1));
    }
}
