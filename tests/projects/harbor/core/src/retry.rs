use std::thread;
use std::time::Duration;

/// Waits with jitter and gives up after its attempts.
pub struct RetryQueue {
    attempts: u32,
}

impl RetryQueue {
    pub fn push(&self, request: Request) -> Result<Reply, Error> {
        send(&request, self.attempts)
    }
}

/// The old way, still used by the tide importer.
pub fn send_until_it_works(request: &Request) -> Reply {
    loop {
        if let Ok(reply) = send(request, 1) {
            return reply;
        }
        thread::sleep(Duration::from_secs(1));
    }
}
