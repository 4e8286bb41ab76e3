//! Runs `wrk` and reads its results.

use std::io::Write as _;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

/// What is asked.
pub(super) struct Asked {
    url: String,
    body: Option<&'static str>,
}

/// What was measured.
pub(super) struct Measured {
    /// Requests a second.
    pub(super) rate: f64,
    /// How long 99 of 100 took at most, as `wrk` writes it.
    pub(super) p99: String,
    /// Answers that were errors, and requests that were not answered.
    pub(super) failed: u64,
}

impl Asked {
    pub(super) fn get(url: String) -> Asked {
        Asked { url, body: None }
    }

    pub(super) fn post(url: String, body: &'static str) -> Asked {
        Asked { url, body: Some(body) }
    }
}

pub(super) fn measure(asked: &Asked, seconds: u32) -> Result<Measured> {
    let mut script = tempfile::Builder::new().suffix(".lua").tempfile()?;
    if let Some(body) = asked.body {
        writeln!(script, "wrk.method = 'POST'; wrk.body = '{body}'; wrk.headers['Content-Type'] = 'application/json'")?;
    }
    let output = Command::new("wrk")
        .args(["-t2", "-c64", "--latency", &format!("-d{seconds}s"), "-s"])
        .arg(script.path())
        .arg(&asked.url)
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    ensure!(output.status.success(), "wrk: {text}{}", String::from_utf8_lossy(&output.stderr));
    read(&text).with_context(|| format!("wrk says {text}"))
}

fn read(text: &str) -> Result<Measured> {
    let after = |lead: &str| text.lines().find_map(|line| line.trim().strip_prefix(lead)).map(str::trim);
    let rate = after("Requests/sec:").context("a rate")?.parse()?;
    let p99 = after("99%").context("a time")?.to_owned();
    let statuses = after("Non-2xx or 3xx responses:").map_or(Ok(0), str::parse::<u64>)?;
    let sockets = after("Socket errors:").unwrap_or_default();
    let lost = sockets.split([' ', ',']).filter_map(|word| word.parse::<u64>().ok()).sum::<u64>();
    Ok(Measured { rate, p99, failed: statuses + lost })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_wrk_says_is_read() {
        let text = "  Latency Distribution\n     50%    1.19ms\n     99%    4.20ms\n  10 requests in 1.00s\n  \
                    Socket errors: connect 0, read 1, write 0, timeout 2\n  Non-2xx or 3xx responses: 4\n\
                    Requests/sec:  12345.67\nTransfer/sec:      1.00MB\n";
        let measured = read(text).unwrap();
        assert_eq!((measured.p99.as_str(), measured.failed), ("4.20ms", 7));
        assert!((measured.rate - 12345.67).abs() < 0.001);
    }
}
