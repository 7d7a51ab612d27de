//! The folder that `cargo ship` lays out runs as it lies there, with what the tests have built already.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use portolan_tests::{build, http, ship, wait};

/// For all plugins to be loaded, on a busy machine too.
const SOON: Duration = Duration::from_secs(60);

/// A gateway that runs in the folder.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended already; reaping it is what matters.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts the gateway as the command's words say, on free ports, and returns its base and its operators' address.
fn run(folder: &Path) -> Result<(Running, SocketAddr, SocketAddr)> {
    let mut command = Command::new(folder.join("portolan"));
    command.arg("serve").arg("--config").arg(folder.join("portolan.toml")).env_clear().current_dir("/");
    for flag in ["--listen", "--claimables-listen", "--operators-listen"] {
        command.args([flag, "127.0.0.1:0"]);
    }
    let mut running = Running(command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?);
    let mut line = String::new();
    BufReader::new(running.0.stdout.take().context("no stdout")?).read_line(&mut line)?;
    let address = |name: &str| {
        let word = line.split_whitespace().find_map(|word| word.strip_prefix(name));
        Ok::<SocketAddr, anyhow::Error>(word.with_context(|| format!("no {name} in {line:?}"))?.parse()?)
    };
    let (base, operators) = (address("base=http://")?, address("operators=http://")?);
    Ok((running, base, operators))
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn what_is_laid_out_runs_with_all_plugins_and_leaves_an_operators_files_alone() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("portolan");
    let book = parent.path().join("book");
    fs::create_dir_all(book.join("use")).unwrap();
    for page in ["index.html", "use/tour.html"] {
        fs::write(book.join(page), "<h1>Portolan</h1>").unwrap();
    }
    let explorer = parent.path().join("explorer");
    fs::create_dir_all(explorer.join("assets")).unwrap();
    for file in ["index.html", "operators.html", "assets/main-a1.js"] {
        fs::write(explorer.join(file), format!("/* {file} */")).unwrap();
    }
    ship::lay_out(build::built().unwrap(), &book, &explorer, &folder).unwrap();
    for (path, expected) in [
        ("", 0o755),
        ("portolan", 0o755),
        ("portolan-plugins", 0o755),
        ("portolan-explorer/index.html", 0o644),
        ("portolan.service", 0o644),
        ("portolan.socket", 0o644),
        ("share/man/man1/portolan-claimables.1", 0o644),
        ("share/completions/portolan.bash", 0o644),
        ("share/completions/_portolan", 0o644),
        ("share/completions/portolan.fish", 0o644),
    ] {
        assert_eq!(mode(&folder.join(path)), expected, "{path:?}");
    }
    fs::copy(folder.join("portolan.example.toml"), folder.join("portolan.toml")).unwrap();
    fs::write(folder.join("portolan-plugins/quickswap.toml"), "shipped = true\n").unwrap();
    // Once more, as after a change of the code.
    let old = ["portolan-docs/old.html", "portolan-explorer/assets/main-a0.js"].map(|path| folder.join(path));
    old.iter().for_each(|file| fs::write(file, "").unwrap());
    ship::lay_out(build::built().unwrap(), &book, &explorer, &folder).unwrap();
    assert!(!old.iter().any(|file| file.exists()), "a page of an older build");
    assert_eq!(fs::read_to_string(folder.join("portolan-plugins/quickswap.toml")).unwrap(), "shipped = true\n");

    let plugins: Vec<String> = build::plugins().unwrap().into_iter().map(|(name, _)| name).collect();
    let (_running, base, operators) = run(&folder).unwrap();
    assert_eq!(http::get(base, "/docs/use/tour.html").unwrap().status, 200, "the book is beside the configuration");
    for (listener, page) in [(base, "index.html"), (operators, "operators.html")] {
        assert_eq!(http::get(listener, "/").unwrap().body, format!("/* {page} */"), "the explorer is too");
        assert_eq!(http::get(listener, "/assets/main-a1.js").unwrap().body, "/* assets/main-a1.js */");
    }
    let active = || {
        let rows = http::get(operators, "/plugins")?.json()?;
        let active = rows.items()?.iter().filter(|row| row.text_at("state").is_ok_and(|state| state == "active"));
        let mut active: Vec<String> = active.map(|row| Ok(row.text_at("plugin")?.to_owned())).collect::<Result<_>>()?;
        active.sort();
        ensure!(active == plugins, "{rows}");
        Ok(())
    };
    wait::until("all plugins", SOON, active).unwrap();
    assert!(folder.join("portolan-state").is_dir(), "the state is beside the configuration");
}
