{
  # `nix run github:lorehound/lorehound -- "question"` builds the program and starts it; `nix develop` opens a shell with
  # the tools of `.ci/run`. It is at the root, because `nix run` finds it only there.
  description = "Local search engine for everything a repository knows";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      inherit (nixpkgs) lib;
      manifest = (lib.importTOML ./Cargo.toml).workspace.package;
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "x86_64-darwin"
        "aarch64-darwin"
      ];
      forAllSystems = make: lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
    in
    {
      packages = forAllSystems (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = "lorehound";
          inherit (manifest) version;
          src = self;
          cargoLock.lockFile = ./Cargo.lock;
          buildType = "dist";
          cargoBuildFlags = [
            "--package"
            "lorehound"
            "--bin"
            "lore"
          ];
          # The tests need git, tmux and network namespaces; `.ci/run` runs them.
          doCheck = false;
          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = lib.optionalString (pkgs.stdenv.buildPlatform.canExecute pkgs.stdenv.hostPlatform) ''
            $out/bin/lore generate man --out man
            $out/bin/lore generate completions --out completions
            installManPage man/*.1
            installShellCompletion --cmd lore \
              --bash completions/lore.bash --zsh completions/_lore --fish completions/lore.fish
          '';
          meta = {
            description = "Local search engine for everything a repository knows";
            homepage = manifest.repository;
            license = with lib.licenses; [
              mit
              asl20
            ];
            mainProgram = "lore";
          };
        };
      });

      devShells = forAllSystems (pkgs: {
        default = pkgs.mkShell {
          packages = with pkgs; [
            cargo
            clippy
            git
            neovim
            nodejs
            python3
            ripgrep
            rustc
            rustfmt
            tmux
          ];
        };
      });
    };
}
