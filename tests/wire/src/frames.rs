use serde_json::Value;

/// A message with its header.
#[must_use]
pub fn frame(message: &Value) -> Vec<u8> {
    let body = message.to_string();
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// Cuts what a server writes into messages. Anything that is not exactly a
/// frame is a fault of the server.
#[derive(Debug, Default)]
pub struct Frames {
    buffer: Vec<u8>,
}

impl Frames {
    /// Takes bytes in; gives the messages that are complete.
    ///
    /// # Errors
    /// A description of the bytes that are no frame.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<Vec<Value>, String> {
        self.buffer.extend_from_slice(bytes);
        let mut messages = Vec::new();
        while let Some(message) = self.next()? {
            messages.push(message);
        }
        Ok(messages)
    }

    /// Whether a message has begun and not ended.
    #[must_use]
    pub fn is_broken_off(&self) -> bool {
        !self.buffer.is_empty()
    }

    fn next(&mut self) -> Result<Option<Value>, String> {
        const NAME: &[u8] = b"Content-Length: ";
        let stray = |bytes: &[u8]| {
            let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(200)]).into_owned();
            format!("stdout holds something that is no frame: {shown:?}")
        };
        let begins = self.buffer.iter().zip(NAME).all(|(a, b)| a == b);
        if !begins {
            return Err(stray(&self.buffer));
        }
        let Some(end) = self.buffer.windows(4).position(|four| four == b"\r\n\r\n") else {
            return Ok(None);
        };
        let length: usize = std::str::from_utf8(&self.buffer[NAME.len()..end])
            .ok()
            .and_then(|digits| digits.parse().ok())
            .ok_or_else(|| stray(&self.buffer))?;
        let whole = end + 4 + length;
        if self.buffer.len() < whole {
            return Ok(None);
        }
        let message = serde_json::from_slice(&self.buffer[end + 4..whole])
            .map_err(|error| format!("{error}: {}", stray(&self.buffer)))?;
        self.buffer.drain(..whole);
        Ok(Some(message))
    }
}
