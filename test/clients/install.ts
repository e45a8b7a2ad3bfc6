import { installPackage } from "../../scripts/install-package.ts";

installPackage("test/clients");
