//! The variables that no skill is given, in groups, each with the reason: they load code, or they are ours.
//!
//! A name alone decides, because a value comes from the user and may be anything. Keys, tokens and addresses of services
//! are on no list. Names are compared without regard to case: some programs read both forms.

/// Variables that are refused for one reason.
struct Group {
    why: &'static str,
    names: &'static [&'static str],
    /// What a name begins with.
    prefixes: &'static [&'static str],
}

/// The beginning of our own variables: tokens, folders, and what we tell a command.
const OURS: &str = "OPENOXIDE_";

/// Why one of our own is refused to a skill.
pub(super) const IS_OURS: &str = "it belongs to OpenOxide, and may be a secret of it";

const GROUPS: &[Group] = &[
    Group {
        why: "the sandbox sets it, because it decides which programs and settings are found",
        names: &["PATH", "HOME", "TMPDIR", "TMP", "TEMP", "IFS", "CDPATH", "PWD", "OLDPWD", "SHELL"],
        prefixes: &["XDG_"],
    },
    Group {
        // The helper runs with the same variables before the command does.
        why: "the dynamic loader or the C library loads code or files by it",
        names: &[
            "GCONV_PATH",
            "GETCONF_DIR",
            "HOSTALIASES",
            "LOCALDOMAIN",
            "LOCPATH",
            "NIS_PATH",
            "NLSPATH",
            "RESOLV_HOST_CONF",
            "RES_OPTIONS",
            "TZDIR",
            "OPENSSL_CONF",
            "OPENSSL_ENGINES",
            "OPENSSL_MODULES",
            "SSLKEYLOGFILE",
        ],
        prefixes: &["LD_", "DYLD_", "GLIBC_", "MALLOC_"],
    },
    Group {
        why: "a shell runs what it holds, or reads the file that it names",
        names: &[
            "ENV",
            "BASH_ENV",
            "BASHOPTS",
            "SHELLOPTS",
            "PROMPT_COMMAND",
            "PS0",
            "PS1",
            "PS2",
            "PS4",
            "BASH_XTRACEFD",
            "ZDOTDIR",
            "FPATH",
        ],
        prefixes: &["BASH_FUNC_"],
    },
    Group {
        why: "a language's runtime loads code by it",
        names: &[
            "NODE_OPTIONS",
            "NODE_PATH",
            "NODE_REPL_EXTERNAL_MODULE",
            "BUN_OPTIONS",
            "PERLLIB",
            "PYTHONPATH",
            "PYTHONHOME",
            "PYTHONSTARTUP",
            "PYTHONUSERBASE",
            "PYTHONWARNINGS",
            "PYTHONBREAKPOINT",
            "PYTHONINSPECT",
            "PYTHONEXECUTABLE",
            "PYTHONPLATLIBDIR",
            "PYTHONPYCACHEPREFIX",
            "RUBYOPT",
            "RUBYLIB",
            "RUBYSHELL",
            "RUBYPATH",
            "GEM_HOME",
            "GEM_PATH",
            "JAVA_TOOL_OPTIONS",
            "_JAVA_OPTIONS",
            "JDK_JAVA_OPTIONS",
            "JAVA_OPTS",
            "CLASSPATH",
            "PHPRC",
            "PHP_INI_SCAN_DIR",
            "ERL_LIBS",
            "ERL_FLAGS",
            "ERL_AFLAGS",
            "ERL_ZFLAGS",
            "ELIXIR_ERL_OPTIONS",
            "JULIA_LOAD_PATH",
            "JULIA_DEPOT_PATH",
            "R_HOME",
            "R_PROFILE",
            "R_PROFILE_USER",
            "R_ENVIRON",
            "R_ENVIRON_USER",
            "TCLLIBPATH",
            "GUILE_LOAD_PATH",
            "GUILE_LOAD_COMPILED_PATH",
            "AWKPATH",
            "AWKLIBPATH",
            "DOTNET_STARTUP_HOOKS",
            "DOTNET_ADDITIONAL_DEPS",
            "DOTNET_SHARED_STORE",
        ],
        prefixes: &["PERL5", "PERL_", "LUA_INIT", "LUA_PATH", "LUA_CPATH", "R_LIBS", "CORECLR_", "COR_"],
    },
    Group {
        why: "a build tool or package manager runs programs or takes code by it",
        names: &[
            "RUSTC",
            "RUSTC_WRAPPER",
            "RUSTC_WORKSPACE_WRAPPER",
            "RUSTDOC",
            "RUSTFLAGS",
            "RUSTDOCFLAGS",
            "CARGO_HOME",
            "CARGO_ENCODED_RUSTFLAGS",
            "YARN_PATH",
            "YARN_YARN_PATH",
            "YARN_PLUGINS",
            "YARN_RC_FILENAME",
            "BUNDLE_GEMFILE",
            "BUNDLE_PATH",
            "MAVEN_OPTS",
            "MAVEN_ARGS",
            "GRADLE_OPTS",
            "GRADLE_USER_HOME",
            "MAKEFLAGS",
            "MFLAGS",
            "GNUMAKEFLAGS",
            "MAKEFILES",
            "CC",
            "CXX",
            "CPP",
            "AR",
            "GOFLAGS",
            "GOENV",
            "GOROOT",
            "GOPATH",
            "GOPROXY",
            "GOTOOLCHAIN",
            "CMAKE_TOOLCHAIN_FILE",
            "PKG_CONFIG",
            "PKG_CONFIG_PATH",
        ],
        prefixes: &["CARGO_BUILD_", "CARGO_TARGET_", "NPM_CONFIG_", "PIP_", "UV_INDEX", "UV_DEFAULT_INDEX"],
    },
    Group {
        why: "version control or a remote shell runs the program that it names, or works elsewhere by it",
        names: &[
            "GIT_ALLOW_PROTOCOL",
            "GIT_ALTERNATE_OBJECT_DIRECTORIES",
            "GIT_ASKPASS",
            "GIT_COMMON_DIR",
            "GIT_DIR",
            "GIT_EDITOR",
            "GIT_EXEC_PATH",
            "GIT_EXTERNAL_DIFF",
            "GIT_INDEX_FILE",
            "GIT_NAMESPACE",
            "GIT_OBJECT_DIRECTORY",
            "GIT_PAGER",
            "GIT_PROTOCOL_FROM_USER",
            "GIT_PROXY_COMMAND",
            "GIT_SEQUENCE_EDITOR",
            "GIT_SSH",
            "GIT_SSH_COMMAND",
            "GIT_SSH_VARIANT",
            "GIT_TEMPLATE_DIR",
            "GIT_WORK_TREE",
            "SSH_ASKPASS",
            "SSH_AUTH_SOCK",
            "HGRCPATH",
            "HGEDITOR",
            "SVN_SSH",
            "SVN_EDITOR",
            "CVS_RSH",
            "RSYNC_RSH",
            "RSYNC_CONNECT_PROG",
        ],
        prefixes: &["GIT_CONFIG", "GIT_TRACE"],
    },
    Group {
        why: "other programs start what it names",
        names: &[
            "EDITOR",
            "VISUAL",
            "PAGER",
            "MANPAGER",
            "BROWSER",
            "LESSOPEN",
            "LESSCLOSE",
            "SUDO_ASKPASS",
            "SUDO_EDITOR",
            "SYSTEMD_EDITOR",
            "SYSTEMD_PAGER",
            "TAR_OPTIONS",
            "FZF_DEFAULT_COMMAND",
            "FZF_DEFAULT_OPTS",
            "VIMINIT",
            "EXINIT",
            "EMACSLOADPATH",
            "TERMINFO",
            "TERMINFO_DIRS",
            "TERMCAP",
        ],
        prefixes: &[],
    },
];

/// Returns why no command gets a variable of this name from a caller.
pub(super) fn why_refused(name: &str) -> Option<&'static str> {
    let group = GROUPS.iter().find(|group| {
        group.names.iter().any(|refused| refused.eq_ignore_ascii_case(name))
            || group.prefixes.iter().any(|prefix| begins_with(name, prefix))
    });
    group.map(|group| group.why)
}

pub(super) fn is_ours(name: &str) -> bool {
    begins_with(name, OURS)
}

fn begins_with(name: &str, prefix: &str) -> bool {
    name.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_tokens_are_on_no_list() {
        for name in [
            "API_KEY",
            "ANTHROPIC_API_KEY",
            "OPENAI_API_KEY",
            "PERPLEXITY_API_KEY",
            "GITHUB_TOKEN",
            "GH_TOKEN",
            "GIT_TOKEN",
            "GIT_AUTHOR_NAME",
            "NPM_TOKEN",
            "CARGO_REGISTRY_TOKEN",
            "PYTHONANYWHERE_API_TOKEN",
            "UV_PUBLISH_TOKEN",
            "YARN_NPM_AUTH_TOKEN",
            "AWS_ACCESS_KEY_ID",
            "AWS_PROFILE",
            "DATABASE_URL",
            "HTTPS_PROXY",
            "LANG",
            "TERM",
            "NO_COLOR",
            "OPENOXIDE",
        ] {
            assert!(why_refused(name).is_none() && !is_ours(name), "{name}");
        }
    }

    #[test]
    fn what_loads_code_is_refused_however_it_is_written() {
        for name in [
            "NODE_OPTIONS",
            "PERL5OPT",
            "PERL5LIB",
            "PYTHONSTARTUP",
            "RUBYOPT",
            "LD_PRELOAD",
            "DYLD_INSERT_LIBRARIES",
            "npm_config_script_shell",
            "NPM_CONFIG_PREFIX",
            "GIT_CONFIG_KEY_0",
            "LUA_INIT_5_4",
            "XDG_CONFIG_HOME",
        ] {
            assert!(why_refused(name).is_some(), "{name}");
        }
        assert!(is_ours("OPENOXIDE_TOKEN") && is_ours("openoxide_home"));
    }
}
