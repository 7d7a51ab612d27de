//! `/history` of the operators' listener: what was answered in the last hour, in points of fifteen seconds.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Result, ensure};
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::json::Json;
use portolan_tests::{problem, wait};

/// A few steps, on a busy machine too.
const SOON: Duration = Duration::from_secs(90);
const MEMBERS: [&str; 12] = [
    "answers",
    "at",
    "inFlight",
    "jobFailures",
    "jobs",
    "memoryBytes",
    "nodeErrors",
    "nodeRequests",
    "p50Ms",
    "p99Ms",
    "partial",
    "problems",
];

fn points(gateway: &Gateway) -> Result<Vec<Json>> {
    Ok(gateway.operate("/history")?.json()?.at("points")?.items()?.to_vec())
}

fn number(point: &Json, member: &str) -> Result<u64> {
    Ok(point.at(member)?.to_string().parse()?)
}

fn sum(points: &[Json], member: &str) -> Result<u64> {
    points.iter().map(|point| number(point, member)).sum()
}

#[test]
fn each_step_has_what_clients_requested_in_it_and_nothing_of_operators() {
    let gateway = Setup::default().listening().unwrap();
    let history = gateway.operate("/history").unwrap();
    assert_eq!((history.status.as_u16(), history.header("cache-control")), (200, Some("no-store")));
    let json = history.json().unwrap();
    assert_eq!(json.at("stepSeconds").unwrap().to_string(), "15");
    problem::detail(&gateway.operate("/history?step=1").unwrap(), 400, "unknown-parameter").unwrap();

    for (path, status) in [("/networks", 200), ("/networks", 200), ("/protocols", 200), ("/nothing", 404)] {
        assert_eq!(gateway.get(path).unwrap().status, status, "{path}");
    }
    assert_eq!(gateway.aggregate("/0x123").unwrap().status, 400);
    let counted = || {
        let points = points(&gateway)?;
        ensure!(sum(&points, "answers")? >= 5, "{points:?}");
        Ok::<_, anyhow::Error>(points)
    };
    let (before, _) = wait::until("the requests", SOON, counted).unwrap();
    assert_eq!((sum(&before, "answers").unwrap(), sum(&before, "problems").unwrap()), (5, 2), "{before:?}");

    // The next step has nothing of it, whatever operators do.
    let further = || {
        let points = points(&gateway)?;
        ensure!(points.len() > before.len(), "{points:?}");
        Ok::<_, anyhow::Error>(points)
    };
    let (after, _) = wait::until("a further step", SOON, further).unwrap();
    assert_eq!(after[..before.len()], before[..], "points stay as they are");
    let last = after.last().unwrap();
    assert_eq!((sum(&after, "answers").unwrap(), last.at("p50Ms").unwrap()), (5, &Json::Null), "{after:?}");
    for point in &after {
        let mut members: Vec<&str> = point.members().unwrap().iter().map(|(name, _)| name.as_str()).collect();
        members.sort_unstable();
        assert_eq!(members, MEMBERS);
        assert!(number(point, "memoryBytes").unwrap() > 1 << 20, "{point}");
    }
    let timed = after.iter().find(|point| number(point, "answers").unwrap() > 0).unwrap();
    let [p50, p99] = ["p50Ms", "p99Ms"].map(|member| timed.at(member).unwrap().to_string().parse::<f64>().unwrap());
    assert!(0.0 < p50 && p50 <= p99, "{timed}");
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let times: Vec<u64> = after.iter().map(|point| number(point, "at").unwrap()).collect();
    assert!(times.is_sorted() && times.iter().all(|at| at.abs_diff(now) < 600), "{times:?}");
}
